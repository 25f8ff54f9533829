"""The votes of callers on a market or a challenge: one each, which may be changed until voting closes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from service.api.auth import Caller
from service.api.inputs import Body
from service.errors import VotingClosed
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.documents import user_votes
from service.forecasting.predictions.market_fields import UserVotes
from service.market.instants import iso, utc
from service.store import user_votes as stored
from service.store.user_votes import Tally

Side = Literal["yes", "no"]


class UserVote(Body):
    """A caller's vote."""

    vote: Side


@dataclass(frozen=True)
class Voted:
    """A vote as it counts from now on, and the tally of all callers; `voted_at` is world time."""

    id: str
    vote: Side
    voted_at: datetime
    user_votes: UserVotes


def check_open(market: Prediction, now: int, activity: Literal["Voting", "Forecasting"]) -> None:
    """Raise VotingClosed unless callers may still vote on a market, or forecast it, at the world second `now`."""
    if market.settlement:
        raise VotingClosed(f"This market was settled at {iso(market.settlement.resolved_at)}.")
    if now >= market.closes_at:
        raise VotingClosed(f"{activity} closed at {iso(market.closes_at)}.")


def cast(db: Connection, market: Prediction, vote: Side, caller: Caller, now: int) -> Voted:
    """Store a caller's vote in place of an earlier one; raises VotingClosed once voting has closed."""
    check_open(market, now, "Voting")
    stored.cast(db, market.id, caller.id, vote == "yes", now)
    tally = stored.tallies(db, [market.id]).get(market.id, Tally())
    return Voted(market.id, vote, utc(now), user_votes(*tally))
