"""What of an asset's bars is worth a headline, hour by hour.

Everything looks back over windows of fixed length, so what is found at an hour is the same however many bars lie
before or after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

Series = NDArray[np.float64]
Flags = NDArray[np.bool_]

MONTH_H = 30 * 24  # bars: at least 30 days, more where the market closes
LOOK_BACK_H = MONTH_H + 5 * 24  # bars before the first hour that is looked at
BIG_DAY = 2.0  # sigmas in 24 hours
BIG_BURST = 3.0  # sigmas in four hours
WILD, CALM = 1.8, 0.5  # of the last day's hourly swings to the last month's
FLAT = 0.001  # log return between two weeks
STREAKS = (3, 5, 7)  # days in a row, of the same sign, that are told
QUIET_H = {"day": 12, "burst": 12, "extreme": 24, "level": 48, "wild": 24, "calm": 48}


@dataclass(frozen=True)
class Track:
    """One asset at the ends of its bars, shape (n,) each; NaN where the bars do not reach back far enough.

    `day` and `four` are log returns over 24 and 4 hours, `day_sigmas` and `four_sigmas` the same by the hourly
    swings of the last month, `ratio` the last day's swings by the month's, `highest` and `lowest` the month's extremes
    before the bar, `level` the round price that was crossed.
    """

    time: NDArray[np.int64]
    close: Series
    day: Series
    day_sigmas: Series
    four: Series
    four_sigmas: Series
    ratio: Series
    highest: Series
    lowest: Series
    level: Series

    def row_at(self, time: int) -> int | None:
        """The row of the bar that ended at a unix second; None where none did."""
        row = int(np.searchsorted(self.time, time))
        return row if row < len(self.time) and self.time[row] == time else None


def track(bars: Bars) -> Track:
    """The track of hourly bars, at least one."""
    time, logs = bars.time + bars.step, np.log(bars.close)
    squares = np.square(np.diff(logs, prepend=logs[0]))
    month = np.sqrt(_trailing(squares, MONTH_H, np.mean))
    day, day_bars = _move(time, logs, DAY)
    four, four_bars = _move(time, logs, 4 * HOUR)
    return Track(
        time=time,
        close=bars.close,
        day=day,
        day_sigmas=_share(day, month * np.sqrt(day_bars)),
        four=four,
        four_sigmas=_share(four, month * np.sqrt(four_bars)),
        ratio=_share(np.sqrt(_trailing(squares, 24, np.mean)), month),
        highest=_before(_trailing(bars.high, MONTH_H, np.max)),
        lowest=_before(_trailing(bars.low, MONTH_H, np.min)),
        level=_levels(bars.close),
    )


def happened(asset: str, known: Track, rows: slice) -> Iterator[tuple[int, str]]:
    """The rows of `rows` at which something happened, and the kind of it: of several the first in this order.

    A kind is told when it begins and not again while its quiet time lasts.
    """
    big_day = _begins(np.abs(known.day_sigmas) >= BIG_DAY, QUIET_H["day"])
    burst = _begins(np.abs(known.four_sigmas) >= BIG_BURST, QUIET_H["burst"])
    crossed = _begins(np.isfinite(known.level), QUIET_H["level"])
    rising = np.diff(known.close, prepend=known.close[0]) > 0
    kinds = {
        "high": _begins(known.close > known.highest, QUIET_H["extreme"]),
        "low": _begins(known.close < known.lowest, QUIET_H["extreme"]),
        "burst_up": burst & (known.four > 0),
        "burst_down": burst & (known.four < 0),
        "day_up": big_day & (known.day > 0),
        "day_down": big_day & (known.day < 0),
        "above": crossed & rising,
        "below": crossed & ~rising,
        "wild": _begins(known.ratio >= WILD, QUIET_H["wild"]),
        "calm": _begins(known.ratio <= CALM, QUIET_H["calm"]),
        **_weeks(asset, known),
    }
    told = np.zeros(len(known.time), dtype=bool)
    for kind, flags in kinds.items():
        for row in np.flatnonzero((flags & ~told)[rows]) + rows.start:
            yield int(row), kind
        told |= flags


def streak(known: Track, row: int) -> int:
    """How many UTC days in a row the close at midnight rose (positive) or fell; `row` ended at a midnight.

    Counted over at most eight days; 0 where a midnight is missing or nothing moved.
    """
    midnights = [known.row_at(int(known.time[row]) - day * DAY) for day in range(max(STREAKS) + 2)]
    if None in midnights:
        return 0
    signs = np.sign(-np.diff(known.close[midnights]))
    same = int(np.argmin(np.append(signs == signs[0], False)))
    return int(signs[0]) * same


def _move(time: NDArray[np.int64], logs: Series, span: int) -> tuple[Series, NDArray[np.int64]]:
    """The log return over `span` seconds and the bars it is made of, from the last bar that ended by then."""
    start = np.searchsorted(time, time - span, side="right") - 1
    return np.where(start < 0, np.nan, logs - logs[start]), np.arange(len(time)) - start


def _trailing(values: Series, size: int, of: Callable[..., Series]) -> Series:
    """`of` each `size` values up to and with the row; NaN before there are so many."""
    result = np.full(len(values), np.nan)
    if len(values) >= size:
        result[size - 1 :] = of(sliding_window_view(values, size), axis=1)
    return result


def _before(values: Series) -> Series:
    return np.append(np.nan, values[:-1])


def _share(values: Series, of: Series) -> Series:
    """`values / of`; NaN where nothing moved."""
    return np.divide(values, of, out=np.full(len(values), np.nan), where=of > 0)


def _begins(flags: Flags, quiet: int) -> Flags:
    """Where a flag is up and was not in the `quiet` bars before."""
    raised = np.append(0, np.cumsum(flags))
    row = np.arange(len(flags))
    return flags & (raised[row] == raised[np.maximum(row - quiet, 0)])


def _levels(close: Series) -> Series:
    """The round price that each close lies beyond and the one before did not, the nearest to it; NaN where none.

    Round is a multiple of 1, 2 or 5 times a power of ten, the largest that is at most a tenth of the close before.
    """
    before, after = close[:-1], close[1:]
    power = 10.0 ** np.floor(np.log10(before / 10))
    step = power * np.select([before / 10 >= 5 * power, before / 10 >= 2 * power], [5, 2], 1)
    level = np.round(np.where(after > before, np.floor(after / step), np.ceil(after / step)) * step, 8)
    crossed = (np.minimum(before, after) < level) & (level <= np.maximum(before, after))
    return np.append(np.nan, np.where(crossed, level, np.nan))


def _weeks(asset: str, known: Track) -> dict[str, Flags]:
    """The first bar behind a closed weekend, by how it ended beside the last close before it."""
    # A market that only rests for an hour is open two hours before.
    opens = (np.diff(known.time, prepend=known.time[0]) > DAY) & ~open_at(asset, known.time - 3 * HOUR)
    change = np.diff(np.log(known.close), prepend=np.log(known.close[0]))
    flat = np.abs(change) < FLAT
    return {
        "week_up": opens & ~flat & (change > 0),
        "week_down": opens & ~flat & (change < 0),
        "week_flat": opens & flat,
    }
