"""The pool's forecast of each asset at the end of each hour, on which the consensus lane trades."""

from __future__ import annotations

from sqlalchemy import Connection, select

from service.store.database import insert
from service.store.tables import hourly_vote
from service.trading.lanes import LaneVote


def add(db: Connection, hour: int, votes: dict[str, LaneVote]) -> None:
    """Store the votes at the end of an hour, a world second, unless they are stored already."""
    rows = [{"hour": hour, "asset": asset, **vote._asdict()} for asset, vote in votes.items()]
    if rows:
        db.execute(insert(db, hourly_vote).on_conflict_do_nothing(), rows)


def since(db: Connection, hour: int) -> dict[int, dict[str, LaneVote]]:
    """The votes at the ends of hours from `hour` on, by hour and asset."""
    votes: dict[int, dict[str, LaneVote]] = {}
    for row in db.execute(select(hourly_vote).where(hourly_vote.c.hour >= hour)):
        votes.setdefault(row.hour, {})[row.asset] = LaneVote(row.volatility, row.p_up)
    return votes
