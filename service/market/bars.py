"""Bars of one asset as arrays, the checks on raw bars, and the bars of a coin that is none of the assets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.market.instants import DAY, HOUR

Times = NDArray[np.int64]
Prices = NDArray[np.float64]

LONGEST_SILENCE_S = 3600  # without a trade, that is filled with flat bars
LARGEST_MOVE = 5.0  # a price so many times another within a bar is no price, but an empty order book or another unit
# The year 36,812: whole seconds are exact in float64 far beyond it.
LAST_SECOND = 2**40


class Bar(NamedTuple):
    """One bar: unix second of its open, prices in USD, volume in units of the asset."""

    time: int
    open: float
    high: float
    low: float
    close: float
    volume: float


class RefusedBar(NamedTuple):
    """A refused bar and the reason; its time is -1 where it is not a unix second."""

    time: int
    reason: str


@dataclass(frozen=True)
class PriceExtremes:
    """The highest and the lowest price of an asset, in USD, among all bars `since` an aware datetime."""

    asset: str
    high: float
    low: float
    since: datetime


@dataclass(frozen=True)
class Bars:
    """Bars in ascending order of time, all of one length.

    `time` is the unix second of each opening, shape (n,), int64; `open`, `high`, `low`, `close` are USD
    and `volume` units of the asset, shape (n,), float64; `step` is the length of a bar in seconds.
    A closed market and a gap of the source have no bars.
    """

    time: Times
    open: Prices
    high: Prices
    low: Prices
    close: Prices
    volume: Prices
    step: int

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, selection: slice | NDArray) -> Bars:
        return Bars(*(getattr(self, name)[selection] for name in Bar._fields), step=self.step)

    def rows(self) -> list[tuple[int, float, float, float, float, float]]:
        """Plain Python rows, for a database or a file."""
        return list(zip(*(getattr(self, name).tolist() for name in Bar._fields), strict=True))

    def until(self, instant: int) -> Bars:
        """The bars that were complete at the unix second `instant`."""
        return self[: int(np.searchsorted(self.time, instant - self.step, side="right"))]

    def since(self, instant: int) -> Bars:
        """The bars that open at or after the unix second `instant`."""
        return self[int(np.searchsorted(self.time, instant, side="left")) :]

    @property
    def as_of(self) -> int:
        """The unix second at which the last bar was complete."""
        return int(self.time[-1]) + self.step


def empty(step: int) -> Bars:
    return from_rows((), step)


def from_rows(rows: Sequence[Sequence[float]] | Prices, step: int) -> Bars:
    """Bars from (time, open, high, low, close, volume) rows that have passed `check`."""
    table = np.array(rows, dtype=np.float64).reshape(-1, len(Bar._fields))
    return Bars(table[:, 0].astype(np.int64), *(np.ascontiguousarray(table[:, i]) for i in range(1, 6)), step=step)


def join(parts: Iterable[Bars]) -> Bars:
    """Consecutive pieces as one; at least one piece, all with the same step."""
    pieces = list(parts)
    columns = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in Bar._fields)
    return Bars(*columns, step=pieces[0].step)


def merge(base: Bars, update: Bars) -> Bars:
    """All bars in order of time; where both have a bar, that of `base` is kept."""
    bars = join((base, update))
    _, places = np.unique(bars.time, return_index=True)
    return bars[places]


def equal(left: Bars, right: Bars) -> bool:
    """Whether two are the same bars, to the last bit."""
    return left.step == right.step and all(
        np.array_equal(getattr(left, name), getattr(right, name)) for name in Bar._fields
    )


def near(bars: Bars, price: float | None) -> Bars:
    """The bars whose closes lie within a factor of five of a `price` in USD, or of their median where there is none."""
    if not len(bars):
        return bars
    ratios = bars.close / (price or float(np.median(bars.close)))
    return bars[(ratios >= 1 / LARGEST_MOVE) & (ratios <= LARGEST_MOVE)]


def check(rows: Iterable[Sequence[float | None]], step: int) -> tuple[Bars, list[RefusedBar]]:
    """Split raw rows of (time, open, high, low, close, volume) into valid bars and refused ones.

    A bar is valid when its numbers are finite, its prices positive, its volume not negative, its time a multiple of
    `step` and later than that of every valid bar before it, low <= open, close <= high, and high <= 5 low. A second bar
    of the same instant is always refused: the first one may already have been used. None counts as a number that is not
    finite.
    """
    table = np.array(rows if isinstance(rows, np.ndarray) else list(rows), dtype=np.float64).reshape(-1, 6)
    faults = _faults(table, step)
    fault = np.select(list(faults.values()), range(len(faults)), default=len(faults))
    is_valid = fault == len(faults)
    reasons = list(faults)
    times = np.where(_is_instant(table[:, 0]), table[:, 0], -1)[~is_valid].tolist()
    refusals = [RefusedBar(int(time), reasons[at]) for time, at in zip(times, fault[~is_valid].tolist(), strict=True)]
    return from_rows(table[is_valid], step), refusals


def _is_instant(time: Prices) -> NDArray[np.bool_]:
    return (time >= 0) & (time <= LAST_SECOND)


def _faults(table: Prices, step: int) -> dict[str, NDArray[np.bool_]]:
    """The faults by their description, in order of precedence, each with the rows of `table` (n, 6) that have it."""
    time, opens, high, low, closes, volume = table.T
    with np.errstate(invalid="ignore", over="ignore"):
        faults = {
            "a value is not a finite number": ~np.isfinite(table).all(axis=1),
            "its time is not a unix second": ~_is_instant(time),
            f"it opens off the {step}-second grid": np.mod(time, step) != 0,
            "a price is not positive": low <= 0,
            "its volume is negative": volume < 0,
            "its high is below its low": high < low,
            f"its high is more than {LARGEST_MOVE:g} times its low": high > LARGEST_MOVE * low,
            "its open or close lies outside its low and high": (np.minimum(opens, closes) < low)
            | (np.maximum(opens, closes) > high),
        }
    faulty = np.logical_or.reduce(list(faults.values()))
    newest = np.maximum.accumulate(np.where(faulty, -1, time))
    before = np.append(-1, newest)[: len(table)]
    return faults | {
        "a second bar of the same instant": time == before,
        "it is older than the bar before it": time < before,
    }


def resample(bars: Bars, step: int) -> Bars:
    """Complete bars of a longer `step`.

    The last group is left out unless `bars` reaches its end, so a prefix of the input gives a prefix of the output. A
    group with gaps is kept. Raises ValueError when `step` is not a multiple of the step of `bars`.
    """
    if step % bars.step:
        raise ValueError(f"bars of {bars.step} s cannot be resampled to {step} s")
    if step == bars.step or not len(bars):
        return bars if step == bars.step else empty(step)
    group = bars.time // step
    first = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    last = np.append(first[1:], len(bars)) - 1
    result = Bars(
        time=group[first] * step,
        open=bars.open[first],
        high=np.maximum.reduceat(bars.high, first),
        low=np.minimum.reduceat(bars.low, first),
        close=bars.close[last],
        volume=np.add.reduceat(bars.volume, first),
        step=step,
    )
    return result.until(bars.as_of)


def newest_run(bars: Bars, until: int) -> Bars:
    """The bars after the last silence of more than an hour before the unix second `until`; empty where that ends it."""
    ends = np.append(bars.time[1:], until)
    silences = np.flatnonzero(ends - bars.time - bars.step > LONGEST_SILENCE_S)
    return bars[silences[-1] + 1 :] if len(silences) else bars


def oldest_run(bars: Bars, since: int) -> Bars:
    """The bars before the first silence of over an hour after the unix second `since`; empty where it begins so."""
    begins = np.append(since, bars.time[:-1] + bars.step)
    silences = np.flatnonzero(bars.time - begins > LONGEST_SILENCE_S)
    return bars[: silences[0]] if len(silences) else bars


def with_silent_bars(bars: Bars) -> Bars:
    """The bars with flat ones, at the last close and of volume 0, in gaps of less than an hour.

    Exchanges leave out bars without a trade; a longer gap may be a failure of the source.
    """
    if len(bars) < 2:
        return bars
    grid = np.arange(bars.time[0], bars.time[-1] + 1, bars.step)
    before = np.searchsorted(bars.time, grid, side="right") - 1
    gaps = np.diff(bars.time, append=bars.time[-1])[before] - bars.step
    is_silent = (grid != bars.time[before]) & (gaps < LONGEST_SILENCE_S)
    close = bars.close[before[is_silent]]
    return merge(bars, Bars(grid[is_silent], close, close, close, close, np.zeros(len(close)), step=bars.step))


LEAST_DAYS = 90
LIVELY_DAYS = 30  # over which a coin must trade in most hours
LEAST_LIVELY = 0.9  # share of the hours with a bar


@dataclass(frozen=True)
class CoinBars:
    """Bars of an hour, and `feed`, as short as those of the assets; `source` says where the newest came from."""

    hourly: Bars
    feed: Bars
    source: str = ""

    @cached_property
    def built(self) -> Bars:
        """The complete hours of the fine bars; the first one may lack its beginning and is left out."""
        hours = resample(self.feed, HOUR)
        starts = int(self.feed.time[0]) if len(self.feed) else 0
        return hours.since(starts + -starts % HOUR)

    @cached_property
    def hours(self) -> Bars:
        """All complete hours."""
        return merge(self.built, self.hourly)

    @property
    def refusal(self) -> str:
        """Why these bars are too few to forecast from; empty if they are enough."""
        hours = self.hours
        days = (hours.as_of - int(hours.time[0])) / DAY if len(hours) else 0.0
        if days < LEAST_DAYS:
            return f"has {int(days)} days of hourly prices at the exchanges of this service; {LEAST_DAYS} are needed"
        share = len(hours.since(hours.as_of - LIVELY_DAYS * DAY)) / (LIVELY_DAYS * DAY / HOUR)
        if share < LEAST_LIVELY:
            return f"traded in only {share:.0%} of the hours of the last {LIVELY_DAYS} days; 90% are needed"
        return ""
