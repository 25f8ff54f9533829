"""The resolved questions of each UTC day as columns, from which the track record of the voters is carried on.

A settlement outdates the days of what it settles, in its own transaction, so that stored columns and settlements never
differ. Instants are world seconds; a day is the one at which it begins.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from service import canonical
from service.forecasting.voters.track_record import ResolvedColumns
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
    """The days whose columns are to be made again."""
    return list(db.scalars(_OUTDATED))


def keep(db: Connection, day: int, columns: ResolvedColumns) -> None:
    """Store the columns of everything that was resolved on a day."""
    _save(db, day, canonical.write(columns.to_plain()))


def every(db: Connection) -> list[ResolvedColumns]:
    """The columns of every day that has them, the first day first."""
    return [ResolvedColumns.from_plain(canonical.read(body)) for body in db.scalars(_BODIES)]


def _save(db: Connection, day: int, body: str | None) -> None:
    statement = insert(db, resolved_day).values(day=day, body=body)
    db.execute(statement.on_conflict_do_update(index_elements=[resolved_day.c.day], set_={"body": body}))
