"""The lanes: their state after the last bar, their equity at every bar, and their events.

Instants are world seconds; a bar is identified by the instant at which it was complete. A state and the bars that led
to it are written in one transaction. No bar is written twice: a second writer violates the primary key, and its
transaction is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, bindparam, select

from service import canonical
from service.store.database import insert
from service.store.plain import lane_states
from service.store.tables import lane_bar, lane_event
from service.trading.lanes import LaneBar

_ADD_BARS = {
    "sqlite": "INSERT INTO lane_bar VALUES (?, ?, ?, ?)",
    "postgresql": "INSERT INTO lane_bar VALUES (%s, %s, %s, %s)",
}
_HISTORY = (
    select(lane_bar.c.as_of, lane_bar.c.equity, lane_bar.c.status)
    .where(lane_bar.c.lane == bindparam("lane"), lane_bar.c.as_of.between(bindparam("since"), bindparam("until")))
    .order_by(lane_bar.c.as_of)
    .limit(bindparam("most"))
)
_EVENTS = (
    select(lane_event.c.body)
    .where(lane_event.c.lane == bindparam("lane"), lane_event.c.time.between(bindparam("since"), bindparam("until")))
    .order_by(lane_event.c.time, lane_event.c.place)
    .limit(bindparam("most"))
)


def advance(
    db: Connection, name: str, body: dict[str, Any], passed: Iterable[LaneBar], events: Iterable[dict[str, Any]]
) -> None:
    """Store the state after the bars it has passed, those bars, and their events, each with its `time`.

    Raises IntegrityError if a bar is already stored.
    """
    rows = [(name, *bar) for bar in passed]
    if not rows:
        return
    # Directly through the driver: a first start writes two hundred thousand rows.
    db.exec_driver_sql(_ADD_BARS[db.dialect.name], rows)
    event_rows = list(_event_rows(name, events))
    if event_rows:
        db.execute(insert(db, lane_event), event_rows)
    lane_states.save(db, name, body, as_of=rows[-1][1])


def _event_rows(name: str, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of events, numbered within their instant, so that the number of bars in one call does not matter."""
    instant, place = None, 0
    for event in events:
        instant, place = event["time"], place + 1 if event["time"] == instant else 0
        yield {"lane": name, "time": instant, "place": place, "body": canonical.write(event)}


def history(db: Connection, name: str, since: int, until: int, limit: int) -> list[LaneBar]:
    """The bars of a lane that were complete between two instants, both included, oldest first."""
    rows = db.execute(_HISTORY, {"lane": name, "since": since, "until": until, "most": limit})
    return [LaneBar(*row) for row in rows]


def events(db: Connection, name: str, since: int, until: int, limit: int) -> list[dict[str, Any]]:
    """The events of a lane between two instants, both included, oldest first."""
    rows = db.execute(_EVENTS, {"lane": name, "since": since, "until": until, "most": limit})
    return [canonical.read(row.body) for row in rows]
