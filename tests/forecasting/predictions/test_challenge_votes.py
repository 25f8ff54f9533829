"""A challenge has ten voters in its pool, and apex beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import NoVoters
from service.forecasting import consensus
from service.forecasting.apex import ENGINE, voter
from service.forecasting.oracle import voters
from service.forecasting.predictions import Commitment, PredictionMarket
from service.forecasting.predictions.challenge_votes import commit_challenge
from service.forecasting.predictions.votes import commit
from service.forecasting.record import ClassRecord, Record, Standing
from service.forecasting.situation import situate
from service.forecasting.swarm import NetView
from service.forecasting.votes import Ballot
from tests.forecasting.apex.made import call_of
from tests.forecasting.made import NOW

KINDS = [
    ("up", {}),
    ("close_above", {"at": 1.01}),
    ("touch_below", {"at": 0.97}),
    ("between", {"at": 0.99, "upper_at": 1.02}),
    ("relative", {"other_asset": "eth"}),
]
# The swarm has been much better than everybody on directions and much worse on levels.
PROVEN = Record(
    NOW,
    direction=ClassRecord(standings=(Standing("swarm", "54-strategies", 200, 200, 0.15, -0.05),)),
    event=ClassRecord(standings=(Standing("swarm", "54-strategies", 200, 200, 0.30, 0.05),)),
)


def no_time() -> float:
    return 0.0


@pytest.fixture
def challenge(asking):
    """Makes a challenge of a kind of question."""

    def make(comparator: str = "close_above", **fields) -> PredictionMarket:
        question = asking(comparator, **(fields or {"at": 1.01}))
        deadline = int(question.deadline.timestamp())
        return PredictionMarket(
            "challenge-1", "challenge", question, "", "bars", NOW, deadline, deadline, False, "user:1"
        )

    return make


@pytest.fixture
def cast(contexts, fits):
    """Casts the votes on a challenge."""

    def commit_it(
        market: PredictionMarket,
        *,
        p_up: float = 0.6,
        net: NetView = NetView(30, 10, 14),  # noqa: B008
        record: Record = Record(),  # noqa: B008
        learnt=fits,
        quorum: int = 5,
    ) -> Commitment:
        call = call_of(NOW, p_up, contexts["btc"].spot, oracles=p_up)
        return commit_challenge(
            market, NOW, contexts, learnt, voters(), record, quorum=quorum, timer=no_time, net=net, call=call
        )

    return commit_it


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
@pytest.mark.parametrize("record", [Record(), PROVEN], ids=["unproven", "proven"])
def test_the_pool_is_that_of_the_nine_and_the_swarm(comparator, fields, record, challenge, cast):
    """Recomputed from the votes as they stand in the record, by the rule of the pool."""
    found = cast(challenge(comparator, **fields), record=record)
    ten = [Ballot(vote.voter, vote.engine, vote.p, "", 0.0) for vote in found.votes if vote.voter != "apex"]
    assert [ballot.voter for ballot in ten] == [*(one.name for one in voters()), "swarm"]
    pooled = consensus.pool(ten, record.of(comparator))
    assert found.p == pooled.p
    assert tuple(vote.weight for vote in found.votes[:-1]) == pooled.weights


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_apex_votes_last_and_weighs_nothing(comparator, fields, challenge, cast):
    """Whatever it says, nothing else of the commitment changes."""
    bold, timid = (cast(challenge(comparator, **fields), p_up=p) for p in (0.9, 0.52))
    assert (bold.votes[-1].voter, bold.votes[-1].engine, bold.votes[-1].weight) == ("apex", ENGINE, 0.0)
    assert bold.votes[-1].p != timid.votes[-1].p
    assert replace(bold, votes=bold.votes[:-1]) == replace(timid, votes=timid.votes[:-1])


def test_what_apex_says_of_a_day_is_carried_over_to_the_question(challenge, cast, contexts, fits):
    market = challenge()
    call = call_of(NOW, 0.6, contexts["btc"].spot, oracles=0.6)
    ballot = voter.vote(market.question, situate(market.question, NOW, contexts, fits), call)
    vote = cast(market, p_up=0.6).votes[-1]
    assert (vote.p, vote.reasoning) == (ballot.p, ballot.reasoning)


def test_the_swarm_leans_the_way_it_holds(challenge, cast):
    long, flat, short = (
        cast(challenge(), net=net) for net in (NetView(54, 0, 0), NetView(0, 0, 54), NetView(0, 54, 0))
    )
    assert long.votes[9].p > flat.votes[9].p > short.votes[9].p
    assert long.p > flat.p > short.p


def test_the_nine_say_what_they_say_on_any_market(challenge, cast, contexts, fits):
    """Votes, abstentions and the seal of what was shown are those of a market with the same question."""
    market = challenge()
    nine = commit(market, NOW, contexts, fits, voters(), Record(), quorum=5, timer=no_time)
    found = cast(market)
    assert [(vote.voter, vote.p, vote.reasoning) for vote in found.votes[:9]] == [
        (vote.voter, vote.p, vote.reasoning) for vote in nine.votes
    ]
    assert replace(found, p=nine.p, votes=nine.votes) == nine


def test_the_swarm_and_apex_make_no_quorum(challenge, cast):
    """Before the first fit only volatility speaks, and it alone counts."""
    with pytest.raises(NoVoters):
        cast(challenge(), learnt=None, quorum=2)
    found = cast(challenge(), learnt=None, quorum=1)
    assert [vote.voter for vote in found.votes] == ["vol", "swarm", "apex"]
    assert len(found.abstained) == 8
