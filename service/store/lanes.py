"""The lanes: their state after the last bar they saw, what they were worth at every bar, and what they did.

Instants are world seconds; a bar is named by the one at which it was complete. A state and the bars behind it are
written together, and no bar twice: a second writer breaks on the key and nothing of its work remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select

from service import canonical
from service.store.database import insert
from service.store.tables import lane, lane_bar, lane_event


class LaneBar(NamedTuple):
    """What a lane was worth in USD, and its status, when the bar was complete."""

    as_of: int
    equity: float
    status: str


_ADD_BARS = {
    "sqlite": "INSERT INTO lane_bar VALUES (?, ?, ?, ?)",
    "postgresql": "INSERT INTO lane_bar VALUES (%s, %s, %s, %s)",
}
_STATE = select(lane.c.body).where(lane.c.name == bindparam("name"))
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


def state(db: Connection, name: str) -> dict[str, Any] | None:
    """The state of a lane as plain JSON; None before its first bar."""
    text = db.scalar(_STATE, {"name": name})
    return canonical.read(text) if text is not None else None


def advance(
    db: Connection, name: str, body: dict[str, Any], passed: Iterable[LaneBar], events: Iterable[dict[str, Any]]
) -> None:
    """Store the state after the bars it has passed, those bars, and the events they brought, each with its `time`.

    Breaks on the primary key when a bar was stored before.
    """
    rows = [(name, *bar) for bar in passed]
    if not rows:
        return
    # To the driver directly: a first start brings two hundred thousand rows.
    db.exec_driver_sql(_ADD_BARS[db.dialect.name], rows)
    told = list(_placed(name, events))
    if told:
        db.execute(insert(db, lane_event), told)
    statement = insert(db, lane).values(name=name, as_of=rows[-1][1], body=canonical.write(body))
    newer = {column: statement.excluded[column] for column in ("as_of", "body")}
    db.execute(statement.on_conflict_do_update(index_elements=[lane.c.name], set_=newer))


def _placed(name: str, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of events, numbered within their instant: the same however many bars were passed at once."""
    instant, place = None, 0
    for event in events:
        instant, place = event["time"], place + 1 if event["time"] == instant else 0
        yield {"lane": name, "time": instant, "place": place, "body": canonical.write(event)}


def history(db: Connection, name: str, since: int, until: int, limit: int) -> list[LaneBar]:
    """The bars of a lane that were complete between two instants, both included, oldest first."""
    rows = db.execute(_HISTORY, {"lane": name, "since": since, "until": until, "most": limit})
    return [LaneBar(*row) for row in rows]


def events(db: Connection, name: str, since: int, until: int, limit: int) -> list[dict[str, Any]]:
    """What a lane did between two instants, both included, oldest first."""
    rows = db.execute(_EVENTS, {"lane": name, "since": since, "until": until, "most": limit})
    return [canonical.read(row.body) for row in rows]
