"""The bars of the assets, and what the sources have given of them.

Bars of a feed are stored once. An hourly bar is built again when a gap in its hour is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection, Dialect, Select, bindparam, delete, func, select

from service import canonical
from service.market.assets import LONGEST_CLOSURE_S
from service.market.bars import Bar, Bars, PriceExtremes, from_rows, join, resample
from service.market.coverage import Coverage, History, history_of
from service.market.instants import DAY, HOUR, utc
from service.store.database import insert_into, put_rows
from service.store.pages import PlainTable
from service.store.tables import bar, bar_revision
from service.store.tables import coverage as table

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
_NEWEST_HOUR = select(func.max(bar.c.time)).where(bar.c.asset == bindparam("asset"), bar.c.step == HOUR)
_REVISION = select(bar_revision.c.revision).where(bar_revision.c.asset == bindparam("asset"))
_ADD_ROWS = "INSERT INTO bar VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_ADD_COLUMNS = (
    "INSERT INTO bar SELECT %s, %s, * FROM unnest(%b::bigint[], %b::float8[], %b::float8[], %b::float8[], %b::float8[],"
    " %b::float8[]) ON CONFLICT DO NOTHING"
)
_LAST = select(*COLUMNS).where(_OF_SERIES).order_by(bar.c.time.desc()).limit(1)


def add_bars(db: Connection, asset: str, bars: Bars) -> int:
    """Store the bars of a feed that are not stored yet, and return their number.

    Uses the driver directly, which is four times as fast for a year of five-minute bars; PostgreSQL gets an array of
    each column in one statement.
    """
    if not len(bars):
        return 0
    newest = db.scalar(_NEWEST_HOUR, {"asset": asset})
    if db.dialect.name == "postgresql":
        columns = (getattr(bars, name).tolist() for name in Bar._fields)
        count = db.exec_driver_sql(_ADD_COLUMNS, (asset, bars.step, *columns)).rowcount
    else:
        count = db.exec_driver_sql(_ADD_ROWS, [(asset, bars.step, *row) for row in bars.rows()]).rowcount
    if count and bars.step == HOUR:
        _revise(db, asset, bars, newest)
    return count


def renew_bars(db: Connection, asset: str, series: Bars) -> None:
    """Store bars that were built from shorter ones, in place of earlier builds."""
    rows = [{"asset": asset, "step": series.step, **dict(zip(Bar._fields, row, strict=True))} for row in series.rows()]
    if not rows:
        return
    _revise(db, asset, series, db.scalar(_NEWEST_HOUR, {"asset": asset}))
    put_rows(db, bar, rows)


def bars_revision(db: Connection, asset: str) -> int:
    """A number that rises when old hourly bars of an asset are stored or built anew."""
    return db.scalar(_REVISION, {"asset": asset}) or 0


def _revise(db: Connection, asset: str, series: Bars, newest: int | None) -> None:
    """Count a change of old hourly bars, where a gap of the past is filled late.

    `newest` is the opening of the newest hourly bar before the change. Bars count as old a day early, because another
    process may store newer ones at the same time.
    """
    if newest is None or series.time[0] > newest - CHANGING_S + DAY:
        return
    statement = insert_into(db, bar_revision).values(asset=asset, revision=1)
    increment = {"revision": bar_revision.c.revision + 1}
    db.execute(statement.on_conflict_do_update(index_elements=[bar_revision.c.asset], set_=increment))


def drop_bars(db: Connection, asset: str) -> None:
    db.execute(delete(bar).where(bar.c.asset == asset))


def load_bars(db: Connection, asset: str, since: int, until: int, step: int) -> Bars:
    """The bars that open at `since` or later and are complete at `until` (unix seconds), each `step` seconds long."""
    return from_rows(_fetch(db, _LOAD, asset, since, until, step), step)


def first_bars(db: Connection, asset: str, since: int, until: int, step: int, limit: int, *, stored_step: int) -> Bars:
    """The earliest `limit` bars, at most, that open at `since` or later and are complete at `until` (unix seconds).

    They are built from stored ones, which are `stored_step` seconds long; `step` is a multiple of that. A built bar is
    complete once a bar at its end or later is stored.
    """
    span = {"since": -(-since // step) * step, "until": until + LONGEST_CLOSURE_S, "step": stored_step}
    rows = _fetch(db, _FIRST, asset, **span, most=limit * (step // stored_step) + 1)
    return resample(from_rows(rows, stored_step), step).until(until)[:limit]


def last_bar(db: Connection, asset: str, step: int) -> Bar | None:
    """The latest bar of an asset, of those `step` seconds long; None when it has none."""
    row = db.execute(_LAST, {"asset": asset, "step": step}).first()
    return Bar(*row) if row else None


def last_bars(db: Connection, assets: Iterable[str], step: int) -> dict[str, Bar]:
    """The latest bar of each of these assets that has one of `step` seconds."""
    return {asset: bar for asset in assets if (bar := last_bar(db, asset, step))}


def close_at(db: Connection, asset: str, instant: int, step: int, longest_s: int) -> float | None:
    """The close of the last bar of `step` seconds by a unix second, which opens at most `longest_s` before it."""
    series = load_bars(db, asset, instant - longest_s, instant, step)
    return float(series.close[-1]) if len(series) else None


def price_extremes(db: Connection, asset: str, step: int, since: int = 0) -> PriceExtremes | None:
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
    db: Connection, query: Select, asset: str, since: int, until: int, step: int, **parameters: int
) -> Sequence[tuple[Any, ...]]:
    values = {"asset": asset, "step": step, "since": since, "last": until - step, **parameters}
    if db.dialect.name == "postgresql":
        # Binary numbers take a third of the time of decimal ones.
        with cast("psycopg.Connection", db.connection.driver_connection).cursor(binary=True) as cursor:
            return cursor.execute(_text(query, db.dialect), values).fetchall()
    result = db.execute(query, values)
    assert result.cursor is not None  # a SELECT returns rows
    # The driver's own tuples: building SQLAlchemy rows would take 50% longer.
    return result.cursor.fetchall()


@cache
def _text(query: Select, dialect: Dialect) -> bytes:
    return str(query.compile(dialect=dialect)).encode()


@dataclass(frozen=True)
class _Read:
    """The bars of an asset from the unix second `since` on, as they were at a revision."""

    since: int
    revision: int
    bars: Bars


class HourlyBars:
    """Gives the hourly bars that `bars.load` gives, and reads again only those that may have changed."""

    def __init__(self) -> None:
        self._read: dict[str, _Read] = {}
        self._lock = Lock()

    def load(self, db: Connection, since: Mapping[str, int], until: int) -> dict[str, Bars]:
        """The bars that open at the unix second `since` of their asset, or later, and are complete at `until`."""
        with self._lock:
            read = {asset: self._renewed(db, asset, first, until) for asset, first in since.items()}
        return {asset: series.since(since[asset]).until(until) for asset, series in read.items()}

    def _renewed(self, db: Connection, asset: str, since: int, until: int) -> Bars:
        revision, read = bars_revision(db, asset), self._read.get(asset)
        if read is None or read.revision != revision or since < read.since or not len(read.bars):
            read = _Read(since, revision, load_bars(db, asset, since, until, HOUR))
        else:
            past = read.bars.until(min(until, read.bars.as_of) - CHANGING_S)
            newest = load_bars(db, asset, past.as_of if len(past) else read.since, until, HOUR)
            read = _Read(read.since, revision, join([past, newest]))
        self._read[asset] = read
        return read.bars


_COVERAGE = PlainTable(table)


def find_coverage(db: Connection, asset: str, step: int) -> Coverage | None:
    """The coverage of an asset's bars of `step` seconds; None before the first fetch."""
    plain = _COVERAGE.find(db, f"{asset}/{step}")
    return Coverage.from_plain(plain) if plain else None


def change_coverage(
    db: Connection, asset: str, step: int, default: Coverage, change: Callable[[Coverage], Coverage]
) -> tuple[Coverage, Coverage]:
    """Store what `change` makes of the coverage, which is `default` before the first fetch; returns both.

    Only one process at a time changes it. Bars are wanted from where `default` says.
    """
    series = f"{asset}/{step}"
    _COVERAGE.add(db, series, default.to_plain())
    body = db.scalar(select(table.c.body).where(table.c.series == series).with_for_update())
    before = replace(Coverage.from_plain(canonical.read(body)) if body else default, wanted_from=default.wanted_from)
    after = change(before)
    _COVERAGE.save(db, series, after.to_plain())
    return before, after


def ask_again(db: Connection) -> None:
    """Let the sources be asked again for what none of them had, as at a start with other ones."""
    for series, plain in _COVERAGE.every(db).items():
        _COVERAGE.save(db, series, plain | {"asked_at": 0})


def histories(db: Connection, assets: Iterable[str], step: int, now: int) -> dict[str, History]:
    """The hourly history at the world second `now` of the assets that were asked for; the feed's bars have `step`."""
    coverages = {series: Coverage.from_plain(plain) for series, plain in _COVERAGE.every(db).items()}
    result = {}
    for asset in assets:
        if (hourly := coverages.get(f"{asset}/{HOUR}")) and (short := coverages.get(f"{asset}/{step}")):
            result[asset] = history_of(asset, hourly, short, now)
    return result


@dataclass(frozen=True)
class StoredHistory:
    """The bars that were complete at the world second `now`; those of the feed are `step` seconds long."""

    reading: Callable[[], AbstractContextManager[Connection]]
    step: int
    now: int

    def record(self, asset: str) -> PriceExtremes | None:
        """The highest and the lowest price of an asset since its history has no gap; None without one."""
        with self.reading() as db:
            history = histories(db, (asset,), self.step, self.now).get(asset)
            return price_extremes(db, asset, self.step, (history and history.since) or 0)

    def hourly(self, asset: str, since: datetime) -> Bars:
        """The complete hourly bars of an asset that open at `since` or later."""
        with self.reading() as db:
            return load_bars(db, asset, int(since.timestamp()), self.now, HOUR)
