"""Until when callers may vote on a market."""

from __future__ import annotations

import pytest

from service.api.auth import Caller
from service.api.voting import cast, check_open
from service.errors import VotingClosed
from service.store import predictions
from tests.forecasting.markets import settled, waiting

MARKET = waiting("m")


@pytest.mark.parametrize(
    ("market", "now", "complaint"),
    [
        (MARKET, MARKET.closes_at, r"^Voting closed at 2025-11-24T23:59:59Z\.$"),
        (settled("m"), MARKET.created_at, r"^This market was settled at 2025-11-25T00:00:00Z\.$"),
    ],
)
def test_voting_closes_with_the_market(market, now: int, complaint: str):
    with pytest.raises(VotingClosed, match=complaint):
        check_open(market, now, "Voting")


def test_until_then_it_is_open():
    check_open(MARKET, MARKET.closes_at - 1, "Forecasting")


def test_a_vote_replaces_the_earlier_one(sqlite):
    caller = Caller("203.0.113.7")
    with sqlite.writing() as db:
        predictions.add(db, [MARKET])
        now = MARKET.created_at
        voted = [cast(db, MARKET, side, caller, now) for side in ("yes", "no")]
        other = cast(db, MARKET, "no", Caller("203.0.113.8"), now)
    assert [(vote.vote, vote.user_votes.yes, vote.user_votes.no) for vote in (*voted, other)] == [
        ("yes", 1, 0),
        ("no", 0, 1),
        ("no", 0, 2),
    ]
