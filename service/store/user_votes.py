"""The votes of callers on markets and challenges: one per caller, which may be changed until voting closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from service.store.database import insert
from service.store.membership import is_among
from service.store.tables import user_vote


class Tally(NamedTuple):
    """The number of votes for yes and for no."""

    yes: int = 0
    no: int = 0


def cast(db: Connection, market_id: str, caller: str, is_yes: bool, at: int) -> None:
    """Store a caller's vote in place of an earlier one."""
    statement = insert(db, user_vote).values(prediction=market_id, caller=caller, is_yes=is_yes, voted_at=at)
    newer = {name: statement.excluded[name] for name in ("is_yes", "voted_at")}
    keys = [user_vote.c.prediction, user_vote.c.caller]
    db.execute(statement.on_conflict_do_update(index_elements=keys, set_=newer))


class OwnVote(NamedTuple):
    """A caller's vote as it counts now."""

    is_yes: bool
    voted_at: int


def find(db: Connection, market_id: str, caller: str) -> OwnVote | None:
    """A caller's vote on a market; None without one."""
    own = (user_vote.c.prediction == market_id) & (user_vote.c.caller == caller)
    row = db.execute(select(user_vote.c.is_yes, user_vote.c.voted_at).where(own)).first()
    return OwnVote(*row) if row else None


def tallies(db: Connection, market_ids: Sequence[str]) -> dict[str, Tally]:
    """The tally of each of these markets that has votes."""
    counts = (
        select(user_vote.c.prediction, user_vote.c.is_yes, func.count())
        .where(is_among(user_vote.c.prediction, market_ids))
        .group_by(user_vote.c.prediction, user_vote.c.is_yes)
    )
    tallies: dict[str, Tally] = {}
    for market_id, is_yes, count in db.execute(counts):
        tally = tallies.get(market_id, Tally())
        tallies[market_id] = Tally(count, tally.no) if is_yes else Tally(tally.yes, count)
    return tallies
