"""What callers think of a market or a challenge: one vote each, which may be changed until voting closes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection

from service.api.auth import Caller
from service.api.inputs import Body
from service.errors import VotingClosed
from service.forecasting.predictions.parts import UserVotes, user_votes
from service.market.instants import iso, utc
from service.store import user_votes as stored
from service.store.predictions import Stored
from service.store.user_votes import Tally

Side = Literal["yes", "no"]


class Opinion(Body):
    """What a caller thinks will happen."""

    vote: Side


@dataclass(frozen=True)
class Voted:
    """A vote as it counts from now on, and how all callers stand; `voted_at` is world time."""

    id: str
    vote: Side
    voted_at: datetime
    user_votes: UserVotes


VOTED = Voted(
    id="daily-btc-up-20261121",
    vote="yes",
    voted_at=datetime(2026, 11, 21, 12, 7, tzinfo=UTC),
    user_votes=UserVotes(yes=2, no=1, total=3, yes_pct=66.7),
)


def cast(db: Connection, found: Stored, opinion: Opinion, caller: Caller, now: int) -> Voted:
    """Store a caller's vote in place of an earlier one; raises VotingClosed when it comes too late."""
    market = found.market
    if found.settlement:
        raise VotingClosed(f"It was settled at {iso(found.settlement.resolved_at)}; nobody votes on it any more.")
    if now >= market.closes_at:
        raise VotingClosed(f"Voting closed at {iso(market.closes_at)}.")
    stored.cast(db, market.id, caller.id, opinion.vote == "yes", now)
    counted = stored.tallies(db, [market.id]).get(market.id, Tally())
    return Voted(market.id, opinion.vote, utc(now), user_votes(*counted))
