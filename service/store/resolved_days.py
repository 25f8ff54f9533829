"""The resolved questions of each UTC day, from which the track record of the voters is carried on.

A settlement outdates the days of what it settles, in its own transaction, so that stored questions and settlements
never differ. Instants are world seconds; a day is the one at which it begins.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from service import canonical
from service.forecasting.voters.track_record import Resolved
from service.market.instants import DAY
from service.store.database import insert
from service.store.tables import resolved_day

_OUTDATED = select(resolved_day.c.day).where(resolved_day.c.body.is_(None)).order_by(resolved_day.c.day)
_BODIES = select(resolved_day.c.body).where(resolved_day.c.body.is_not(None)).order_by(resolved_day.c.day)


def outdate(db: Connection, resolved_at: Iterable[int]) -> None:
    """Note that predictions were resolved at these instants, or that the resolved ones of these days changed."""
    for day in sorted({instant // DAY * DAY for instant in resolved_at}):
        _save(db, day, None)


def outdated(db: Connection) -> list[int]:
    """The days whose questions are to be stored again."""
    return list(db.scalars(_OUTDATED))


def keep(db: Connection, day: int, resolved: Iterable[Resolved]) -> None:
    """Store the questions that were resolved on a day."""
    _save(db, day, canonical.write([question.to_plain() for question in resolved]))


def every(db: Connection) -> list[Resolved]:
    """The questions of every day that has them, the first day first."""
    return [Resolved.from_plain(plain) for body in db.scalars(_BODIES) for plain in canonical.read(body)]


def _save(db: Connection, day: int, body: str | None) -> None:
    statement = insert(db, resolved_day).values(day=day, body=body)
    db.execute(statement.on_conflict_do_update(index_elements=[resolved_day.c.day], set_={"body": body}))
