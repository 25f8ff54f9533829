"""A prediction before and after its commitment and its settlement."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service.forecasting.predictions import CommittedVote, by_resolution
from service.forecasting.voters.ballots import Ballot, Forecast
from tests.forecasting.markets import settled, waiting


def test_a_vote_survives_json_without_loss():
    """Except for its latency, which is no part of it."""
    forecast = Forecast(1 / 3, "why", fallback=True, prompt="seat/1", tokens=940, usd=0.000305)
    vote = CommittedVote(Ballot("trend", "openai:some-model", forecast, latency_ms=12.5), 1.25)
    assert CommittedVote.from_plain(json.loads(json.dumps(vote.to_plain()))) == vote
    assert "latency_ms" not in vote.to_plain()


def test_before_the_commitment_there_are_no_votes():
    market = waiting(votes={"vol": 0.6})
    uncommitted = replace(market, commitment=None)
    assert [vote.voter for vote in market.votes] == ["vol"]
    assert (uncommitted.votes, uncommitted.voted_at) == ((), market.created_at)


@pytest.mark.parametrize(
    ("outcome", "comparator", "is_scored"),
    [("yes", "up", True), ("no", "up", True), ("void", "up", False), ("yes", "open", False)],
)
def test_only_a_decided_event_is_scored(outcome, comparator, is_scored):
    assert settled(outcome=outcome, comparator=comparator).is_scored == is_scored
    assert not waiting(comparator=comparator).is_scored


def test_settled_predictions_are_ordered_by_resolution():
    """At one instant by deadline, then by id; what is not settled is left out."""
    late, early = settled("a", resolved=2_000_000_000), settled("b", resolved=1_900_000_000)
    short, long = (settled(name, hours=hours, resolved=1_950_000_000) for name, hours in (("d", 24), ("c", 48)))
    assert [each.id for each in by_resolution([late, long, waiting("e"), short, early])] == ["b", "d", "c", "a"]
