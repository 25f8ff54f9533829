"""What apex said, and each of its layers, as plain JSON; one call at an instant, never changed."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from service import canonical
from service.store.database import insert
from service.store.tables import apex_call


class ApexCall(NamedTuple):
    """A call at the world second `at`: P(higher a day later), and the whole of it as `body`."""

    at: int
    p_up: float
    backfilled: bool
    body: dict[str, Any]


def add(db: Connection, calls: list[ApexCall]) -> None:
    """Store calls; what was said once stays."""
    rows = [call._asdict() | {"body": canonical.write(call.body)} for call in calls]
    if rows:
        db.execute(insert(db, apex_call).on_conflict_do_nothing(), rows)


def every(db: Connection) -> list[ApexCall]:
    """All calls, the oldest first."""
    return [_call(row) for row in db.execute(select(apex_call).order_by(apex_call.c.at))]


def latest(db: Connection) -> ApexCall | None:
    """The last call; None before the first."""
    row = db.execute(select(apex_call).order_by(apex_call.c.at.desc()).limit(1)).first()
    return _call(row) if row else None


def _call(row: Row) -> ApexCall:
    return ApexCall(row.at, row.p_up, row.backfilled, canonical.read(row.body))
