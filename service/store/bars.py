"""Bars as they came from the feed. A bar is stored once: what is there is never replaced."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, bindparam, func, select

from service.market.assets import open_at
from service.market.bars import Bar, Bars, from_rows
from service.market.instants import HOUR
from service.store.tables import bar

COLUMNS = (bar.c.time, bar.c.open, bar.c.high, bar.c.low, bar.c.close, bar.c.volume)

_IN_SPAN = (bar.c.asset == bindparam("asset")) & (bar.c.time >= bindparam("since")) & (bar.c.time <= bindparam("last"))
_LOAD = select(*COLUMNS).where(_IN_SPAN).order_by(bar.c.time)
_TIMES = select(bar.c.time).where(_IN_SPAN).order_by(bar.c.time)
_LAST = select(*COLUMNS).where(bar.c.asset == bindparam("asset")).order_by(bar.c.time.desc()).limit(1)

_hour = (
    select(
        func.min(bar.c.time).label("first"),
        func.max(bar.c.time).label("last"),
        func.max(bar.c.high).label("high"),
        func.min(bar.c.low).label("low"),
        func.sum(bar.c.volume).label("volume"),
    )
    .where(_IN_SPAN)
    .group_by(bar.c.time // HOUR)
    .subquery()
)
_opening, _closing = bar.alias("opening"), bar.alias("closing")
_LOAD_HOURLY = (
    select(_hour.c.first, _opening.c.open, _hour.c.high, _hour.c.low, _closing.c.close, _hour.c.volume, _hour.c.last)
    .join(_opening, (_opening.c.asset == bindparam("asset")) & (_opening.c.time == _hour.c.first))
    .join(_closing, (_closing.c.asset == bindparam("asset")) & (_closing.c.time == _hour.c.last))
    .order_by(_hour.c.first)
)


def add(db: Connection, asset: str, bars: Bars) -> int:
    """Store the bars that are not there yet; returns how many that were.

    Speaks to the driver directly: a year of five-minute bars goes in at four times the speed.
    """
    rows = [(asset, *row) for row in bars.rows()]
    if not rows:
        return 0
    if db.dialect.name == "postgresql":
        return _copy(db, rows)
    return db.exec_driver_sql("INSERT INTO bar VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows).rowcount


def _copy(db: Connection, rows: list[tuple]) -> int:
    with db.connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE incoming (LIKE bar)")
        with cursor.copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["varchar", "int8", "float8", "float8", "float8", "float8", "float8"])
            for row in rows:
                copy.write_row(row)
        cursor.execute("INSERT INTO bar SELECT * FROM incoming ORDER BY asset, time ON CONFLICT DO NOTHING")
        added = cursor.rowcount
        cursor.execute("DROP TABLE incoming")
    return added


def load(db: Connection, asset: str, since: int, until: int, step: int) -> Bars:
    """The bars that open at `since` or later and are complete at `until` (unix seconds), each `step` seconds long."""
    return from_rows(_fetch(db, _LOAD, asset, since, until, step), step)


def load_hourly(db: Connection, asset: str, since: int, until: int, step: int) -> Bars:
    """The same as hourly bars: what `market.bars.resample` makes of them, for half of the time.

    Times and prices are bitwise those of `resample`, volumes equal up to the rounding of a sum.
    """
    if step == HOUR:
        return load(db, asset, since, until, step)
    rows = _fetch(db, _LOAD_HOURLY, asset, since, until, step)
    hours = from_rows([(row[0] - row[0] % HOUR, *row[1:6]) for row in rows], HOUR)
    return hours.until(rows[-1][6] + step) if rows else hours


def last(db: Connection, asset: str) -> Bar | None:
    """The latest bar of an asset; None when it has none."""
    row = db.execute(_LAST, {"asset": asset}).first()
    return Bar(*row) if row else None


def holes(db: Connection, asset: str, since: int, until: int, step: int) -> list[tuple[int, int]]:
    """The spans [start, end) between `since` and `until` for which bars are missing while `asset` trades.

    Closed hours in between do not split a span. A holiday of the exchange looks like a hole.
    """
    grid = _trading_grid(asset, since, until, step)
    there = [row[0] for row in _fetch(db, _TIMES, asset, since, until, step)]
    absent = np.flatnonzero(~np.isin(grid, there))
    spans = np.split(absent, np.flatnonzero(np.diff(absent) > 1) + 1)
    return [(int(grid[span[0]]), int(grid[span[-1]]) + step) for span in spans if len(span)]


def _trading_grid(asset: str, since: int, until: int, step: int) -> np.ndarray:
    """The openings, shape (n,), int64, of all bars that `asset` should have in the span."""
    grid = np.arange(-(-since // step) * step, until - step + 1, step, dtype=np.int64)
    return grid[open_at(asset, grid)]


def _fetch(db: Connection, query, asset: str, since: int, until: int, step: int) -> list[tuple]:
    # The driver's own tuples: SQLAlchemy's rows around them would take half as long again.
    result = db.execute(query, {"asset": asset, "since": since, "last": until - step})
    return result.cursor.fetchall()
