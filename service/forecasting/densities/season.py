"""The seasonal clock: how much of a week's variance each of its hours brings.

Coins are calm on a Saturday and at 23 UTC, and move most on a Monday and at 14 UTC. A horizon's length in seasonal
hours is the sum of the weights of its hours, so a Saturday is a short day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.grid import HourGrid, HourTrack
from service.forecasting.densities.windows import trailing_mean
from service.market.assets import WEEK, Calendar, calendar_of, week_positions
from service.market.months import month_starts

Array = NDArray[np.float64]

TRAILING_H = 365 * 24
PRODUCT_WEEKS = 52  # of history with which an hour's own mean counts as much as the product of day and hour
LEAST_H = 30 * 24  # with less history every open hour counts alike
LEVEL_H = 7 * 24  # squared returns are measured in units of the mean of this many hours before
MOST_RATIO = 30.0  # a larger squared return counts as this
LEAST_WEIGHT = 0.1  # a return in a quieter hour is divided by this weight
LEAST_LEVEL = 1e-10

_HOURS = np.arange(WEEK + 1)


@dataclass(frozen=True)
class Season:
    """`weights` of the 168 hours from Monday 00:00, local time: mean 1 over open hours, 0 elsewhere."""

    weights: tuple[float, ...]

    @cached_property
    def _running(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.weights)])

    def hours(self, asset: str, since: NDArray[np.int64], until: NDArray[np.int64]) -> Array:
        """The seasonal hours of `asset` between unix seconds, shape (n,); `until` is not before `since`."""
        return self._until(asset, until) - self._until(asset, since)

    def _until(self, asset: str, times: NDArray[np.int64]) -> Array:
        """Seasonal hours from a fixed Monday until each of `times`."""
        weeks, hours = np.divmod(week_positions(asset, times), WEEK)
        return weeks * self._running[-1] + np.interp(hours, _HOURS, self._running)


@lru_cache(maxsize=64)
def hours_between(season: Season, asset: str, since: int, until: int) -> float:
    """The seasonal hours between two unix seconds; every voter on a question asks for the same."""
    (hours,) = season.hours(asset, np.array([since]), np.array([until])).tolist()
    return hours


def seasons_at(grid: HourGrid, row: int) -> dict[Calendar, Season]:
    """The season of each calendar, from the 365 days up to `row`."""
    by_calendar: dict[Calendar, list[HourTrack]] = {}
    for track in grid.tracks.values():
        by_calendar.setdefault(calendar_of(track.asset), []).append(track)
    return {calendar: season_at(tracks, row) for calendar, tracks in by_calendar.items()}


def season_at(tracks: Sequence[HourTrack], row: int) -> Season:
    """The season of assets of one calendar, from the 365 days up to `row`.

    The weight of an hour is the square of its mean absolute return: a mean of squares would say what a few shocks did.
    """
    sums, counts = np.zeros(WEEK), np.zeros(WEEK)
    for track in tracks:
        rows = np.arange(max(track.first + LEVEL_H, row + 1 - TRAILING_H), row + 1)
        if len(rows) >= LEAST_H:
            chosen = rows[track.is_open[rows]]
            ratios = np.minimum(track.returns[chosen] ** 2 / _level(track)[chosen - 1], MOST_RATIO)
            sums += np.bincount(track.week_hour[chosen], np.sqrt(ratios), WEEK)
            counts += np.bincount(track.week_hour[chosen], minlength=WEEK)
    weeks = counts.max() / len(tracks)
    return Season(tuple(_smooth(sums, counts, weeks / (weeks + PRODUCT_WEEKS), _open_hours(tracks[0])).tolist()))


def _level(track: HourTrack) -> Array:
    return np.maximum(trailing_mean(track.returns**2, track.opened, LEVEL_H), LEAST_LEVEL)


def _open_hours(track: HourTrack) -> NDArray[np.bool_]:
    """Which hours of the local week are open."""
    return np.bincount(track.week_hour[track.is_open], minlength=WEEK) > 0


def _smooth(sums: Array, counts: Array, share: float, is_open: NDArray[np.bool_]) -> Array:
    """The square of the mean of each hour by `share`, else of the effects of its day and of its hour of the day."""
    if not sums.any():
        return is_open.astype(float)
    raw, live = (sums / np.maximum(counts, 1)).reshape(7, 24), is_open.reshape(7, 24)
    raw = np.where(live, raw, 0.0)
    by_day = raw.sum(axis=1) / np.maximum(live.sum(axis=1), 1)
    by_hour = raw.sum(axis=0) / np.maximum(live.sum(axis=0), 1)
    product = np.outer(by_day, by_hour) / raw[live].mean() * live
    smooth = ((1 - share) * product + share * raw) ** 2
    return (smooth / smooth[live].mean()).ravel()


def monthly_weights(grid: HourGrid) -> dict[str, Array]:
    """The weight of every row of every asset by the season at the beginning of its month, shape (hours,).

    So no weight depends on a later row.
    """
    starts = [grid.row_at(start) + 1 for start in month_starts(grid.origin, grid.time_of(len(grid)))]
    rows = [0, *(row for row in starts if 0 < row < len(grid)), len(grid)]
    weights = {asset: np.empty(len(grid)) for asset in grid.tracks}
    for begins, ends in pairwise(rows):
        seasons = seasons_at(grid, begins - 1)
        for asset, track in grid.tracks.items():
            weights[asset][begins:ends] = weights_of(track, seasons[calendar_of(asset)])[begins:ends]
    return weights


def weights_of(track: HourTrack, season: Season) -> Array:
    """The weight of every row, shape (hours,); 0 where closed."""
    return np.array(season.weights)[track.week_hour] * track.is_open


def running_hours(track: HourTrack, season: Season) -> Array:
    """Seasonal hours counted up to each row, shape (hours,)."""
    return np.cumsum(weights_of(track, season))
