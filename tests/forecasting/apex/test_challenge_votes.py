"""A challenge has ten voters in its pool, and apex beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest

from service.errors import NoVoters
from service.forecasting.apex.challenge_votes import SWARM_ENGINE, NetView, apex_vote, commit_challenge, swarm_vote
from service.forecasting.apex.layers import ENGINE
from service.forecasting.predictions import Commitment, Prediction
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.voters import consensus
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from service.forecasting.voters.voter import Voter
from tests.forecasting.apex.made import call_of
from tests.forecasting.made import NOW, panel_of

KINDS = [
    ("up", {}),
    ("close_above", {"at": 1.01}),
    ("touch_below", {"at": 0.97}),
    ("between", {"at": 0.99, "upper_at": 1.02}),
    ("relative", {"other_asset": "eth"}),
]
# The swarm has been much better than everybody over days and much worse over hours.
PROVEN = TrackRecord(
    NOW,
    {
        band: BandRecord((Standing("swarm", "54-strategies", 200, 20, weight),))
        for band, weight in (("week", 1.9), ("day", 0.2))
    },
)


@pytest.fixture
def challenge(asking):
    """Makes a challenge of a kind of question."""

    def make(comparator: str = "close_above", **fields) -> Prediction:
        question = asking(comparator, **(fields or {"at": 1.01}))
        deadline = int(question.deadline.timestamp())
        return Prediction("challenge-1", "challenge", question, "", "bars", NOW, deadline, deadline, False, "user:1")

    return make


@pytest.fixture
def cast(contexts, fits):
    """Casts the votes on a challenge."""

    def commit_it(
        market: Prediction,
        *,
        p_up: float = 0.6,
        net: NetView = NetView(30, 10, 14),  # noqa: B008
        record: TrackRecord = TrackRecord(),  # noqa: B008
        members: Sequence[Voter] | None = None,
        quorum: int = 5,
    ) -> Commitment:
        call = call_of(NOW, p_up, contexts["btc"].spot, oracles=p_up)
        knowledge = Knowledge(contexts, fits, record)
        return commit_challenge(market, NOW, knowledge, panel_of(members, quorum), net=net, call=call)

    return commit_it


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
@pytest.mark.parametrize("record", [TrackRecord(), PROVEN], ids=["unproven", "proven"])
def test_the_pool_is_that_of_the_nine_and_the_swarm(comparator, fields, record, challenge, cast):
    """Computed again from the committed votes by the rule of the pool."""
    commitment = cast(challenge(comparator, **fields), record=record)
    ten = [vote.ballot for vote in commitment.votes if vote.voter != "apex"]
    assert [ballot.voter for ballot in ten] == [*(voter.name for voter in voters()), "swarm"]
    pooled = consensus.pool(ten, record.of_band("week"))
    assert (commitment.p, commitment.p_up) == (pooled.p, pooled.p_up)
    assert tuple(vote.weight for vote in commitment.votes[:-1]) == pooled.weights
    assert pooled.weights == (*[1.0] * 9, 1.9 if record is PROVEN else 1.0)


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_apex_votes_last_and_weighs_nothing(comparator, fields, challenge, cast):
    """Its vote changes nothing else of the commitment."""
    bold, timid = (cast(challenge(comparator, **fields), p_up=p) for p in (0.9, 0.52))
    assert (bold.votes[-1].voter, bold.votes[-1].engine, bold.votes[-1].weight) == ("apex", ENGINE, 0.0)
    assert bold.votes[-1].p != timid.votes[-1].p
    assert replace(bold, votes=bold.votes[:-1]) == replace(timid, votes=timid.votes[:-1])


def test_apex_applies_its_lean_to_the_question(challenge, cast, contexts, knowledge):
    market = challenge()
    call = call_of(NOW, 0.6, contexts["btc"].spot, oracles=0.6)
    ballot = apex_vote(market.question, build_inputs(market.question, NOW, knowledge), call)
    vote = cast(market, p_up=0.6).votes[-1]
    assert vote.ballot == ballot


def test_the_nine_vote_as_on_any_market(challenge, cast, knowledge):
    """Votes, abstentions and the seal of what was shown are those of a market with the same question."""
    market = challenge()
    nine = commitment_of(panel_of().ask(market.question, NOW, knowledge), knowledge)
    commitment = cast(market)
    assert [vote.ballot for vote in commitment.votes[:9]] == [vote.ballot for vote in nine.votes]
    assert replace(commitment, p=nine.p, p_up=nine.p_up, votes=nine.votes) == nine


def test_the_swarm_and_apex_do_not_count_for_the_quorum(challenge, cast):
    members = voters()[:2]
    with pytest.raises(NoVoters):
        cast(challenge(), members=members, quorum=3)
    commitment = cast(challenge(), members=members, quorum=2)
    assert [vote.voter for vote in commitment.votes] == ["momentum", "reversion", "swarm", "apex"]


def test_the_swarm_leans_the_way_it_holds(challenge, cast):
    long, flat, short = (
        cast(challenge(), net=net) for net in (NetView(54, 0, 0), NetView(0, 0, 54), NetView(0, 54, 0))
    )
    assert long.votes[9].p > flat.votes[9].p > short.votes[9].p
    assert long.p > flat.p > short.p
    assert long.p_up > flat.p_up > short.p_up
    assert flat.p_up == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("counts", "net"), [((54, 0, 0), 1), ((0, 54, 0), -1), ((0, 0, 54), 0), ((30, 10, 14), 20 / 54), ((0, 0, 0), 0)]
)
def test_the_net_position_is_long_less_short_over_all(counts, net):
    assert NetView(*counts).net == pytest.approx(net)


@pytest.mark.parametrize("counts", [(54, 0, 0), (0, 54, 0), (30, 10, 14), (0, 0, 54)])
def test_all_long_is_a_lean_of_a_fifth_in_log_odds(asking, knowledge, counts):
    """On the direction, volatility alone gives 50%, so the log-odds are the lean itself."""
    question, net = asking("up"), NetView(*counts)
    ballot = swarm_vote(question, build_inputs(question, NOW, knowledge), net)
    assert (ballot.voter, ballot.engine) == ("swarm", SWARM_ENGINE)
    assert log(ballot.p / (1 - ballot.p)) == pytest.approx(0.2 * net.net, abs=1e-9)


def test_the_reason_counts_the_strategies_and_adds_up(asking, knowledge):
    """A lean of 0.2 x 20 / 54 in log-odds moves 50% to 51.9%."""
    question = asking("up")
    reason = swarm_vote(question, build_inputs(question, NOW, knowledge), NetView(30, 10, 14)).forecast.reasoning
    assert reason.startswith("Volatility alone implies 50.0%. Of 54 strategies 30 are long btc, 10 short and 14 flat")
    assert reason.endswith(" (net +0.37): +1.9 pp. Forecast: 51.9%.")


@pytest.mark.parametrize(("comparator", "p"), [("up", 0.6), ("down", 0.4)])
def test_on_a_direction_it_votes_its_call(asking, contexts, knowledge, comparator, p):
    """Volatility alone gives 50%, so the probability of a higher price is that of the call."""
    question = asking(comparator)
    call = call_of(NOW, 0.6, contexts["btc"].spot, oracles=0.6)
    ballot = apex_vote(question, build_inputs(question, NOW, knowledge), call)
    assert (ballot.voter, ballot.p) == ("apex", pytest.approx(p, abs=1e-6))
    assert ballot.forecast.p_up == pytest.approx(0.6, abs=1e-6)
    assert "layers) gives 60.0% to a higher price in a day" in ballot.forecast.reasoning
