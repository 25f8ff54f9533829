"""The bars of the feed, and the hourly bars built from them.

A bar of the feed is stored once and never replaced. An hourly bar is built again when a gap in its hour is filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection, Dialect, Select, bindparam, delete, func, select

from service.market.assets import LONGEST_CLOSURE_S
from service.market.bars import Bar, Bars, PriceExtremes, from_rows, resample
from service.market.instants import DAY, HOUR, utc
from service.store.database import insert
from service.store.tables import bar, bar_revision

if TYPE_CHECKING:
    import psycopg

# Job processes keep hourly bars in memory. They always read those of this time before the newest one again; a change of
# older ones is a new revision.
CHANGING_S = 3 * DAY

COLUMNS = (bar.c.time, bar.c.open, bar.c.high, bar.c.low, bar.c.close, bar.c.volume)

_OF_SERIES = (bar.c.asset == bindparam("asset")) & (bar.c.step == bindparam("step"))
_IN_SPAN = _OF_SERIES & (bar.c.time >= bindparam("since")) & (bar.c.time <= bindparam("last"))
_LOAD = select(*COLUMNS).where(_IN_SPAN).order_by(bar.c.time)
_FIRST = _LOAD.limit(bindparam("most"))
_RECORD = select(func.max(bar.c.high), func.min(bar.c.low), func.min(bar.c.time), func.max(bar.c.time)).where(
    _OF_SERIES & (bar.c.time >= bindparam("after"))
)
_NEWEST = select(func.max(bar.c.time)).where(_OF_SERIES)
_REVISION = select(bar_revision.c.revision).where(bar_revision.c.asset == bindparam("asset"))
_LAST = select(*COLUMNS).where(_OF_SERIES).order_by(bar.c.time.desc()).limit(1)


def add(db: Connection, asset: str, bars: Bars) -> int:
    """Store the bars of a feed that are not stored yet, and return their number.

    Uses the driver directly, which is four times as fast for a year of five-minute bars.
    """
    rows = [(asset, bars.step, *row) for row in bars.rows()]
    if not rows:
        return 0
    newest = _newest_hour(db, asset)
    if db.dialect.name == "postgresql":
        added = _copy(db, rows)
    else:
        added = db.exec_driver_sql(
            "INSERT INTO bar VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
        ).rowcount
    if added and bars.step == HOUR:
        _revise(db, asset, bars, newest)
    return added


def renew(db: Connection, asset: str, built: Bars) -> None:
    """Store bars that were built from shorter ones, in place of earlier builds."""
    rows = [{"asset": asset, "step": built.step, **dict(zip(Bar._fields, row, strict=True))} for row in built.rows()]
    if not rows:
        return
    _revise(db, asset, built, _newest_hour(db, asset))
    statement = insert(db, bar)
    newer = {name: statement.excluded[name] for name in Bar._fields[1:]}
    db.execute(statement.on_conflict_do_update(index_elements=list(bar.primary_key), set_=newer), rows)


def revision(db: Connection, asset: str) -> int:
    """A number that rises when old hourly bars of an asset are stored or built anew."""
    return db.scalar(_REVISION, {"asset": asset}) or 0


def _newest_hour(db: Connection, asset: str) -> int | None:
    return db.scalar(_NEWEST, {"asset": asset, "step": HOUR})


def _revise(db: Connection, asset: str, changed: Bars, newest: int | None) -> None:
    """Count a change of old hourly bars, where a gap of the past is filled late.

    `newest` is the opening of the newest hourly bar before the change. Bars count as old a day early, because another
    process may store newer ones at the same time.
    """
    if newest is None or changed.time[0] > newest - CHANGING_S + DAY:
        return
    statement = insert(db, bar_revision).values(asset=asset, revision=1)
    counted = {"revision": bar_revision.c.revision + 1}
    db.execute(statement.on_conflict_do_update(index_elements=[bar_revision.c.asset], set_=counted))


def _copy(db: Connection, rows: Iterable[tuple[Any, ...]]) -> int:
    connection = cast("psycopg.Connection", db.connection.driver_connection)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE incoming (LIKE bar)")
        with cursor.copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["varchar", "int4", "int8", "float8", "float8", "float8", "float8", "float8"])
            for row in rows:
                copy.write_row(row)
        cursor.execute("INSERT INTO bar SELECT * FROM incoming ORDER BY asset, step, time ON CONFLICT DO NOTHING")
        added = cursor.rowcount
        cursor.execute("DROP TABLE incoming")
    return added


def drop(db: Connection, asset: str) -> None:
    """Delete all bars of an asset."""
    db.execute(delete(bar).where(bar.c.asset == asset))


def load(db: Connection, asset: str, since: int, until: int, step: int) -> Bars:
    """The bars that open at `since` or later and are complete at `until` (unix seconds), each `step` seconds long."""
    return from_rows(_fetch(db, _LOAD, asset, since, until, step), step)


def first(db: Connection, asset: str, since: int, until: int, step: int, most: int, *, stored: int) -> Bars:
    """The earliest `most` bars, at most, that open at `since` or later and are complete at `until` (unix seconds).

    They are built from stored ones, which are `stored` seconds long; `step` is a multiple of that. A built bar is
    complete once a bar at its end or later is stored.
    """
    span = {"since": -(-since // step) * step, "until": until + LONGEST_CLOSURE_S, "step": stored}
    rows = _fetch(db, _FIRST, asset, **span, most=most * (step // stored) + 1)
    return resample(from_rows(rows, stored), step).until(until)[:most]


def last(db: Connection, asset: str, step: int) -> Bar | None:
    """The latest bar of an asset, of those `step` seconds long; None when it has none."""
    row = db.execute(_LAST, {"asset": asset, "step": step}).first()
    return Bar(*row) if row else None


def record(db: Connection, asset: str, step: int, since: int = 0) -> PriceExtremes | None:
    """The highest and the lowest price of an asset in the bars from `since` on; None without an hourly one.

    The hourly bars are read, and those of the feed, `step` seconds long, after them.
    """
    high, low, first, latest = db.execute(_RECORD, {"asset": asset, "step": HOUR, "after": since}).one()
    if first is None:
        return None
    newer = db.execute(_RECORD, {"asset": asset, "step": step, "after": latest}).one()
    highs, lows = ([value for value in pair if value is not None] for pair in ((high, newer[0]), (low, newer[1])))
    return PriceExtremes(asset, max(highs), min(lows), utc(first))


def _fetch(
    db: Connection, query: Select, asset: str, since: int, until: int, step: int, **more: int
) -> Sequence[tuple[Any, ...]]:
    values = {"asset": asset, "step": step, "since": since, "last": until - step, **more}
    if db.dialect.name == "postgresql":
        return _fetch_binary(db, query, values)
    result = db.execute(query, values)
    assert result.cursor is not None  # a SELECT returns rows
    # The driver's own tuples: building SQLAlchemy rows would take 50% longer.
    return result.cursor.fetchall()


def _fetch_binary(db: Connection, query: Select, values: dict[str, Any]) -> Sequence[tuple[Any, ...]]:
    """The driver's tuples from binary numbers, which take a third of the time of decimal ones."""
    connection = cast("psycopg.Connection", db.connection.driver_connection)
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(_text(query, db.dialect), values).fetchall()


@cache
def _text(query: Select, dialect: Dialect) -> bytes:
    return str(query.compile(dialect=dialect)).encode()
