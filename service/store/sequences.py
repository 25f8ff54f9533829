"""Sequences that a job computes from the beginning every time, stored to be read in pages.

The bars of a gap that is filled late may change the past, and with it every later row, because each depends on those
before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, select

from service import canonical
from service.store.cursors import PageKey
from service.store.database import insert
from service.store.tables import sequence_row

SequenceName = Literal["fund_trades", "streaks"]

_OF_NAME = sequence_row.c.name == bindparam("name")
_COUNT = select(func.max(sequence_row.c.place)).where(_OF_NAME)
_ROW = select(sequence_row.c.at, sequence_row.c.body).where(_OF_NAME, sequence_row.c.place == bindparam("place"))
_ORDER = (sequence_row.c.at, sequence_row.c.place)
_FIRST = select(sequence_row.c.place).where(_OF_NAME, sequence_row.c.at >= bindparam("since")).order_by(*_ORDER)
_LAST = (
    select(sequence_row.c.place)
    .where(_OF_NAME, sequence_row.c.at <= bindparam("until"))
    .order_by(*(column.desc() for column in _ORDER))
)
_NEWEST = (
    select(sequence_row.c.place, sequence_row.c.body)
    .where(_OF_NAME, sequence_row.c.place.between(bindparam("first"), bindparam("last")))
    .order_by(sequence_row.c.place.desc())
    .limit(bindparam("most"))
)


class KeyedBody(NamedTuple):
    """A row of a page, with its key for cursors."""

    key: PageKey
    body: Any


def keep(db: Connection, name: SequenceName, times: Sequence[int], body_of: Callable[[int], Any]) -> None:
    """Store the rows of a sequence; `times` are the unix seconds of all rows, `body_of` gives the row at a place.

    Rows are compared from the newest back to the first that is stored already, so the work does not grow with the past.
    """
    last = db.scalar(_COUNT, {"name": name})
    stored = 0 if last is None else last + 1
    same = min(len(times), stored)
    while same and not _is_stored(db, name, same - 1, times[same - 1], body_of(same - 1)):
        same -= 1
    if stored > same:
        db.execute(delete(sequence_row).where(sequence_row.c.name == name, sequence_row.c.place >= same))
    rows = [
        {"name": name, "place": place, "at": times[place], "body": canonical.write(body_of(place))}
        for place in range(same, len(times))
    ]
    if rows:
        db.execute(insert(db, sequence_row), rows)


def _is_stored(db: Connection, name: str, place: int, at: int, body: Any) -> bool:
    row = db.execute(_ROW, {"name": name, "place": place}).one()
    return tuple(row) == (at, canonical.write(body))


def newest(
    db: Connection, name: SequenceName, since: int, until: int, limit: int, after: PageKey | None = None
) -> list[KeyedBody]:
    """The rows of a sequence between two unix seconds, both included, newest first.

    `after` is the key of the last one of the page before.
    """
    first = db.scalar(_FIRST.limit(1), {"name": name, "since": since})
    last = db.scalar(_LAST.limit(1), {"name": name, "until": until})
    if first is None or last is None:
        return []
    if after is not None:
        last = min(last, int(after.value) - 1)
    rows = db.execute(_NEWEST, {"name": name, "first": first, "last": last, "most": limit})
    return [KeyedBody(PageKey(place, name), canonical.read(body)) for place, body in rows]
