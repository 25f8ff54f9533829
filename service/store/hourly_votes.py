"""The pool's forecast of each asset at the end of each hour, on which the consensus lane trades."""

from __future__ import annotations

from sqlalchemy import Connection, select

from service.store.database import insert
from service.store.tables import hourly_vote


def add(db: Connection, hour: int, p_up: dict[str, float]) -> None:
    """Store the votes at the end of an hour, a world second, unless they are stored already."""
    rows = [{"hour": hour, "asset": asset, "p_up": p} for asset, p in p_up.items()]
    if rows:
        db.execute(insert(db, hourly_vote).on_conflict_do_nothing(), rows)


def since(db: Connection, hour: int) -> dict[int, dict[str, float]]:
    """The votes at the ends of hours from `hour` on: P(up) by asset."""
    votes: dict[int, dict[str, float]] = {}
    for row in db.execute(select(hourly_vote).where(hourly_vote.c.hour >= hour)):
        votes.setdefault(row.hour, {})[row.asset] = row.p_up
    return votes
