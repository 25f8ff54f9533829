"""All assets on one grid of hours, and trailing windows over its rows.

Row i holds what was known at the end of hour i. Every step is sequential, so a prefix of the bars gives a prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.market.assets import calendar_of, open_at, week_hours
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.scheduled_events import codes_at
from service.scores.proper import Array

SIZED_BY_H = 7 * 24  # the size of a return is measured in units of the mean of this many hours before
MOST_SQUARE = 30.0  # a larger square of a size counts as this
LEAST_MEAN = 1e-10  # of squared hourly returns


@dataclass(frozen=True)
class HourTrack:
    """One asset on the grid, shape (hours,) each.

    `close`, `high` and `low` are log prices, carried forward over hours without a bar and NaN before the first one.
    `has_bar` marks the hours with a bar, `is_open` those of the asset's calendar, `week_hour` is the hour of its local
    week (0 is Monday 00:00), `event` the code of a special hour or 0, `returns` are hourly log returns, `volume` is in
    units of the asset, 0 without a bar. `first` is the row of the first bar, negative if it is before row 0.
    """

    asset: str
    close: Array
    high: Array
    low: Array
    has_bar: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    week_hour: NDArray[np.int64]
    event: NDArray[np.int64]
    returns: Array
    volume: Array
    first: int

    @cached_property
    def open_hours(self) -> Array:
        """Open hours since the first bar or row 0, whichever is later, counted up to each row."""
        since_first = self.is_open & (np.arange(len(self.is_open)) >= self.first)
        return np.cumsum(since_first.astype(float))

    @cached_property
    def sizes(self) -> Array:
        """Absolute returns in units of the root mean square of the week before."""
        mean = np.maximum(trailing_mean(self.returns**2, self.open_hours, SIZED_BY_H), LEAST_MEAN)
        return np.sqrt(np.minimum(self.returns**2 / np.concatenate([mean[:1], mean[:-1]]), MOST_SQUARE))

    def since(self, row: int) -> HourTrack:
        """The rows from `row` on; `first` is negative where the first bar is before them."""
        parts: dict[str, Any] = {name: getattr(self, name)[row:] for name in _ARRAYS}
        return replace(self, **parts, first=self.first - row)


_ARRAYS = tuple(field.name for field in fields(HourTrack) if field.name not in ("asset", "first"))


@dataclass(frozen=True)
class HourGrid:
    """All assets on one grid; row 0 ends at the unix second `origin`."""

    origin: int
    tracks: Mapping[str, HourTrack]

    def __len__(self) -> int:
        return len(next(iter(self.tracks.values())).close)

    def row_at(self, instant: int) -> int:
        """The last row known at a unix second; negative before the first."""
        return min((instant - self.origin) // HOUR, len(self) - 1)

    def time_of(self, row: int) -> int:
        """The unix second at which a row became known."""
        return self.origin + row * HOUR

    def since(self, row: int) -> HourGrid:
        return HourGrid(self.time_of(row), {asset: track.since(row) for asset, track in self.tracks.items()})


def complete_bars(hourly: Mapping[str, Bars], as_of: int) -> dict[str, Bars]:
    """The bars that were complete at the unix second `as_of`, of the assets that have any."""
    return {asset: past for asset, bars in hourly.items() if len(past := bars.until(as_of))}


def hour_grid(hourly: Mapping[str, Bars]) -> HourGrid:
    """The grid of the assets that have hourly bars; at least one must."""
    hourly = {asset: bars for asset, bars in hourly.items() if len(bars)}
    start = min(int(bars.time[0]) for bars in hourly.values())
    hours = (max(int(bars.time[-1]) for bars in hourly.values()) - start) // HOUR + 1
    tracks = {asset: _track(asset, bars, start, hours) for asset, bars in hourly.items()}
    return HourGrid(origin=start + HOUR, tracks=tracks)


def _track(asset: str, bars: Bars, start: int, hours: int) -> HourTrack:
    rows = (bars.time - start) // HOUR
    has_bar = np.zeros(hours, dtype=bool)
    has_bar[rows] = True
    last = np.maximum.accumulate(np.where(has_bar, np.arange(hours), -1))
    close = np.full(hours, np.nan)
    close[rows] = np.log(bars.close)
    close = np.where(last < 0, np.nan, close[np.maximum(last, 0)])
    high, low, volume = close.copy(), close.copy(), np.zeros(hours)
    high[rows], low[rows], volume[rows] = np.log(bars.high), np.log(bars.low), bars.volume
    times = start + np.arange(hours, dtype=np.int64) * HOUR
    return HourTrack(
        asset=asset,
        close=close,
        high=high,
        low=low,
        has_bar=has_bar,
        is_open=open_at(asset, times),
        week_hour=week_hours(asset, times),
        event=codes_at(calendar_of(asset), times),
        returns=np.nan_to_num(np.diff(close, prepend=np.nan)),
        volume=volume,
        first=int(rows[0]),
    )


def gain(sums: Array, span: int) -> Array:
    """The gain of a running sum over the last `span` rows, or since its start."""
    return sums - np.append(np.zeros(span), sums)[: len(sums)]


def trailing_mean(values: Array, open_hours: Array, span: int) -> Array:
    """The sum of the last `span` rows per open hour among them, `open_hours` being the running count of those."""
    return gain(np.cumsum(values), span) / np.maximum(gain(open_hours, span), 1.0)


def open_gain(sums: Array, open_hours: Array, span: int) -> Array:
    """The gain of a running sum over the last `span` open hours, or since its start; it stays while a market is closed.

    `open_hours` is the running count of open hours.
    """
    start = np.searchsorted(open_hours, open_hours - span, side="right") - 1
    return sums - np.where(start < 0, 0.0, sums[np.maximum(start, 0)])


def open_mean(values: Array, open_hours: Array, span: int) -> Array:
    """The mean of the last `span` open hours, or of as many as there are."""
    return open_gain(np.cumsum(values), open_hours, span) / np.clip(open_hours, 1.0, span)


def decayed_mean(values: Array, open_hours: Array, half_life: float) -> Array:
    """Exponentially weighted mean per open hour; the weights decay in open hours alone."""
    decay, is_open = 0.5 ** (1 / half_life), np.diff(open_hours, prepend=0.0) > 0
    weights = decayed_sum(is_open.astype(float), is_open, decay)
    return decayed_sum(values, is_open, decay) / np.maximum(weights, 1.0)


def decayed_sum(values: Array, is_open: NDArray[np.bool_], decay: float, start: float = 0.0) -> Array:
    """The running sum of `values` from `start` on; in each open hour it is multiplied by `decay` before the value.

    Within a block of rows the weights differ by at most a factor of 2**30, so dividing by them loses no precision that
    matters.
    """
    sums, rows = np.empty(len(values)), int(-30 / np.log2(decay))
    for first in range(0, len(values), rows):
        block = slice(first, first + rows)
        weights = decay ** np.cumsum(is_open[block])
        sums[block] = weights * (start + np.cumsum(values[block] / weights))
        start = sums[block][-1]
    return sums


def trailing_max(values: Array, span: int) -> Array:
    """The largest of the last `span` values, by the maxima of blocks of that length (van Herk 1992)."""
    blocks = np.concatenate([values, np.full(-len(values) % span, -np.inf)]).reshape(-1, span)
    prefix = np.maximum.accumulate(blocks, axis=1).ravel()
    suffix = np.maximum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    first = np.maximum(np.arange(len(values)) - span + 1, 0)
    return np.maximum(prefix[: len(values)], np.where(first % span == 0, -np.inf, suffix[first]))
