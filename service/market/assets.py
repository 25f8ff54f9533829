"""The assets that the service follows, the other coins that exchanges list, and the hours in which each one trades."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter

from service.market.instants import DAY, HOUR

NEW_YORK = ZoneInfo("America/New_York")
WEEK = 7 * 24  # hours
FIRST_HOUR = 3 * 24  # unix time starts on a Thursday, this many hours after a Monday
MONDAY = date(1969, 12, 29)  # that Monday
# Dates in New York from 2010 to 2050 and the hour from which COMEX is closed; tests/measure/holidays.py makes it.
HOLIDAYS = Path(__file__).with_name("comex_holidays.txt")
EVENING_H = 18  # in New York, when the session of the next day begins
NOT_CLOSED = 24
FRIDAY = 4

# The longest time without a bar of the metals, holidays included.
LONGEST_CLOSURE_S = 4 * DAY

Calendar = Literal["always", "comex"]


@dataclass(frozen=True)
class SimulatedTerms:
    """What the simulated market assumes of an asset; see assets.toml."""

    start: float
    volatility: float
    loading: float
    volume: float


@dataclass(frozen=True)
class Asset:
    """An instrument quoted in US dollars, with all that is known of it alone: assets.toml explains the fields.

    `tick` is 0 where `tick_of` determines it: a coin that is none of the assets has no more than a key.
    """

    key: str
    name: str
    calendar: Calendar
    tick: float
    unit: str = ""
    week_begins: int = 0
    leader: str = ""
    counterpart: str | None = None
    symbols: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    pool_symbols: tuple[str, ...] = ()
    kalshi: dict[str, str] = field(default_factory=dict)
    simulated: SimulatedTerms | None = None
    headlines: str = ""
    headline_decoys: str = ""
    tickers: tuple[str, ...] = ()
    words: str = ""
    decoys: str = ""
    lookalikes: str = ""
    funds: str = ""


# The trading hours of a year, without holidays: every hour of 365 days, 115 hours of each of 52 weeks of COMEX.
YEAR_HOURS: dict[Calendar, int] = {"always": 365 * 24, "comex": 52 * 115}

_TABLES = tomllib.loads(Path(__file__).with_name("assets.toml").read_text(encoding="utf-8"))
LEADER = next(iter(_TABLES))
ASSETS = TypeAdapter(dict[str, Asset], config=ConfigDict(extra="forbid")).validate_python(
    {key: {"key": key, "leader": LEADER, **table} for key, table in _TABLES.items()}
)
COINS = tuple(key for key, asset in ASSETS.items() if asset.calendar == "always")
# Their number as texts write it.
COUNT = {7: "seven", 8: "eight", 9: "nine", 10: "ten"}.get(len(ASSETS), str(len(ASSETS)))

if TYPE_CHECKING:
    AssetCode = str
else:
    AssetCode = Literal[tuple(ASSETS)]


# The key of another coin: its ticker in lower case.
COIN_KEY = re.compile(r"(?=.*[a-z])[a-z0-9]{1,12}", re.ASCII)
TICK_DIGITS = 6  # significant digits of a coin's price


def asset_of(key: str) -> Asset:
    """The asset with this key: one of ASSETS, else a coin under its ticker, which trades at all hours."""
    return ASSETS.get(key) or Asset(key, key.upper(), "always", 0.0, leader=LEADER)


def tick_of(asset: str, price: float) -> float:
    """The price step of an asset at a price in USD; for another coin, the sixth significant digit."""
    return ASSETS[asset].tick if asset in ASSETS else 10.0 ** (math.floor(math.log10(price)) + 1 - TICK_DIGITS)


def is_open(asset: str, time: int) -> bool:
    """Whether `asset` trades at the unix second `time`.

    Metals follow COMEX: Sunday 18:00 to Friday 17:00 in New York, closed each day from 17:00 to 18:00, on its holidays,
    and from the early end of a short session until the evening. The hour in which a session ends counts as open.
    """
    if calendar_of(asset) == "always":
        return True
    hour = time // HOUR + _to_new_york(time // DAY)
    closes, opens = _closure(hour // 24, is_regular=False)
    return bool(_COMEX_WEEK[hour % WEEK]) and not closes <= hour % 24 < opens


def is_week_over(asset: str, now: datetime) -> bool:
    """Whether `asset` trades no more in the week of the instant `now`, until its market opens on Sunday evening."""
    is_weekend = now.weekday() > FRIDAY or (now.weekday() == FRIDAY and not is_open(asset, int(now.timestamp())))
    return calendar_of(asset) != "always" and is_weekend


def trading_close(instant: datetime) -> datetime:
    """The same time on Friday for one on a weekend: the trading of metals on Sunday belongs to the next week."""
    return instant - timedelta(days=max(0, instant.weekday() - FRIDAY))


def trades(asset: str, time: int, as_of: int) -> bool:
    """Whether the price of `asset`, whose last bar ended at the unix second `as_of`, moves at the unix second `time`.

    Its market is open, or its source trades while it is closed, as a token of gold does.
    """
    return is_open(asset, time) or not is_open(asset, as_of - 1)


def open_at(asset: str, times: NDArray[np.int64], *, is_regular: bool = False) -> NDArray[np.bool_]:
    """`is_open` of an array of unix seconds, shape (n,), in any order.

    With `is_regular` a day with a short session counts as closed: some sources have no bars of it, so that none are
    missing there.
    """
    if calendar_of(asset) == "always":
        return np.ones(len(times), dtype=bool)
    hours = times // HOUR + _new_york_shifts(times)
    days, places = np.unique(hours // 24, return_inverse=True)
    closures = [_closure(day, is_regular=is_regular) for day in days.tolist()]
    closes, opens = np.array(closures, dtype=np.int64).reshape(-1, 2).T
    return _COMEX_WEEK[hours % WEEK] & ((hours % 24 < closes[places]) | (hours % 24 >= opens[places]))


def next_opening(asset: str, time: int) -> int | None:
    """The unix second at which the market of `asset`, closed at `time`, opens; None while it is open."""
    if is_open(asset, time):
        return None
    hours = np.arange(time // HOUR + 1, (time + 2 * LONGEST_CLOSURE_S) // HOUR) * HOUR
    return int(hours[open_at(asset, hours)][0])


def week_positions(asset: str, times: NDArray[np.int64]) -> NDArray[np.float64]:
    """Hours of the asset's local time from a Monday 00:00 until unix seconds, shape (n,)."""
    shifts = FIRST_HOUR if calendar_of(asset) == "always" else _new_york_shifts(times)
    return times / HOUR + shifts


def week_hours(asset: str, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The hour of the asset's local week, 0 for Monday 00:00 to 167, of unix seconds, shape (n,)."""
    return week_positions(asset, times).astype(np.int64) % WEEK


def calendar_of(asset: str) -> Calendar:
    """The trading hours that an asset keeps."""
    return asset_of(asset).calendar


# Which hours of a New York week are open, from Monday 00:00: not from Friday 17:00 to Sunday 18:00.
_COMEX_WEEK = np.array([hour % 24 != 17 and not 4 * 24 + 17 <= hour < 6 * 24 + 18 for hour in range(WEEK)])


@lru_cache(maxsize=20_000)
def _to_new_york(day: int) -> int:
    """The hours to add to an hour of unix time on the UTC day `day` to get New York hours since a Monday.

    One offset is right for the whole day: clocks change on Sunday at 02:00, while the metals are closed.
    """
    offset = datetime.fromtimestamp(day * DAY + DAY // 2, NEW_YORK).utcoffset()
    assert offset is not None  # a zone has an offset at every instant
    return offset // timedelta(hours=1) + FIRST_HOUR


@lru_cache(maxsize=20_000)
def _closure(day: int, *, is_regular: bool) -> tuple[int, int]:
    """The hours between which the metals are closed on a day in New York, counted from MONDAY; 24 for none.

    The evening after a short session belongs to the next day, and is closed if that is.
    """
    closes, next_closes = (holidays().get(number, NOT_CLOSED) for number in (day, day + 1))
    is_short = 0 < closes < EVENING_H
    if not is_short:
        return closes, NOT_CLOSED
    return (0, NOT_CLOSED) if is_regular else (closes, EVENING_H if next_closes else NOT_CLOSED)


@cache
def holidays() -> dict[int, int]:
    """The hour from which COMEX is closed, by day in New York, counted from MONDAY: 0 for the day, 18 for its evening.

    Before EVENING_H it is a holiday or a half day of Wall Street.
    """
    lines = (line.split() for line in HOLIDAYS.read_text().splitlines())
    return {(date.fromisoformat(day) - MONDAY).days: int(hour) for day, hour in lines}


def _new_york_shifts(times: NDArray[np.int64]) -> NDArray[np.int64]:
    days, places = np.unique(times // DAY, return_inverse=True)
    return np.array([_to_new_york(day) for day in days.tolist()], dtype=np.int64)[places]


def open_hours(asset: str, since: int, until: int, *, is_regular: bool = False) -> float:
    """Trading hours of `asset` between two unix seconds; 0 when `until` is not after `since`. See `open_at`."""
    if until <= since:
        return 0.0
    if calendar_of(asset) == "always":
        return (until - since) / HOUR
    starts = np.arange(since - since % HOUR, until, HOUR)
    seconds = np.minimum(starts + HOUR, until) - np.maximum(starts, since)
    return int(seconds[open_at(asset, starts, is_regular=is_regular)].sum()) / HOUR


def trading_days(asset: str, since: int, until: int) -> list[int]:
    """The ends, in unix seconds, of the UTC days with trading hours of `asset` after `since` that end by `until`.

    A day ends at midnight; the minute before it is late enough for `until`.
    """
    ends = np.arange(since - since % DAY + DAY, until + 61, DAY, dtype=np.int64)
    return ends[open_hours_between(asset, np.maximum(since, ends - DAY), ends) > 0].tolist()


def open_hours_between(asset: str, since: NDArray[np.int64], until: NDArray[np.int64]) -> NDArray[np.float64]:
    """`open_hours` between unix seconds, shape (n,); `until` is not before `since`."""
    if not len(since):
        return np.zeros(0)
    first = int(since.min()) // HOUR * HOUR
    edges = np.arange(first, int(until.max()) + 2 * HOUR, HOUR)  # the market opens and closes at whole hours
    totals = np.concatenate([[0.0], np.cumsum(open_at(asset, edges[:-1]))])
    return np.interp(until, edges, totals) - np.interp(since, edges, totals)
