"""The panel: a voter that fails abstains, and too few ballots give no result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import count

import pytest

from service.errors import NoVoters
from service.forecasting.voters.ballots import Abstention, Ballot, Forecast
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.votes import publish
from tests.forecasting.made import NOW, meaning_of, panel_of


@dataclass(frozen=True)
class Scripted:
    """A voter that answers, abstains or fails as scripted."""

    name: str
    answer: float | Exception
    kind: str = "seat"
    engine: str = "test:1"

    def forecast(self, question, inputs) -> Forecast:
        if isinstance(self.answer, Exception):
            raise self.answer
        return Forecast(self.answer, "as scripted")


def scripted(*answers: float | Exception) -> list[Scripted]:
    return [Scripted(f"v{place}", each) for place, each in enumerate(answers)]


@pytest.fixture
def put(asking, contexts, fits):
    """Puts an up-or-down question to voters."""

    def ask_them(those, *, quorum: int = 1, of_assets=contexts, timer=time.monotonic):
        return panel_of(those, quorum, timer).ask(asking("up"), NOW, Knowledge(of_assets, fits))

    return ask_them


def test_nine_voters_give_nine_votes_and_a_consensus(asking, knowledge):
    for comparator, fields in (("up", {}), ("touch_above", {"at": 1.02}), ("relative", {"other_asset": "gold"})):
        question = asking(comparator, **fields)
        result = panel_of(timer=time.monotonic).ask(question, NOW, knowledge)
        assert [ballot.voter for ballot in result.ballots] == [voter.name for voter in voters()]
        assert result.abstained == {}
        answer = publish(result, meaning_of(result.question), knowledge.record.of(question), id="a", world="simulated")
        assert len(answer.votes) == answer.consensus.oracles_count == 9


def test_an_abstention_gives_its_reason_and_a_fault_its_kind(put):
    result = put(scripted(0.7, Abstention("too tired"), ValueError("secret"), KeyError("x")))
    assert result.abstained == {"v1": "too tired", "v2": "failed: ValueError", "v3": "failed: KeyError"}
    assert [ballot.voter for ballot in result.ballots] == ["v0"]


@pytest.mark.parametrize("p", [float("nan"), -0.1, 1.1])
def test_only_a_probability_is_a_vote(put, p):
    assert put(scripted(0.7, p)).abstained == {"v1": "failed: no probability in its answer"}


def test_below_the_quorum_there_is_no_result(put):
    with pytest.raises(NoVoters) as caught:
        put(scripted(0.7, 0.6, Abstention("too tired")), quorum=3)
    assert caught.value.abstained == {"v2": "too tired"}
    assert caught.value.detail == "2 of 3 voters answered; 3 are needed"
    assert len(put(scripted(0.7, 0.6, 0.5), quorum=3).ballots) == 3


def test_without_a_ballot_there_is_no_result(put):
    with pytest.raises(NoVoters):
        put(scripted(Abstention("no")), quorum=0)


def test_without_bars_all_voters_give_the_same_reason(put):
    with pytest.raises(NoVoters) as caught:
        put(voters(), of_assets={})
    assert set(caught.value.abstained.values()) == {"no bars of btc are stored"}
    assert len(caught.value.abstained) == 9


def test_latency_is_measured_by_the_timer(put):
    """A timer that advances half a second a look gives every voter 500 ms."""
    ticks = count(0, 0.5)
    result = put(scripted(0.6, 0.7), timer=lambda: next(ticks))
    assert [ballot.latency_ms for ballot in result.ballots] == [500, 500]


def test_votes_arrive_one_by_one(asking, knowledge):
    """A stream can show the first vote before the second voter is asked."""
    polled = []

    class Watched(Scripted):
        def forecast(self, question, inputs):
            polled.append(self.name)
            return super().forecast(question, inputs)

    replies = panel_of([Watched("a", 0.6), Watched("b", 0.7)]).poll(asking("up"), NOW, knowledge)
    name, ballot = next(replies)
    assert (name, polled) == ("a", ["a"])
    assert isinstance(ballot, Ballot)


def test_the_result_is_as_old_as_its_oldest_bar(asking, contexts, knowledge):
    question = asking("relative", other_asset="gold")
    result = panel_of(timer=time.monotonic).ask(question, NOW, knowledge)
    assert result.as_of == min(contexts["btc"].as_of, contexts["gold"].as_of)
    assert result.asked_at == NOW
