"""The seasonal clock: how much of a week's variance each of its hours brings.

Coins are calm on a Saturday and at 23 UTC, and move most on a Monday and at 14 UTC. A horizon's length in seasonal
hours is the sum of the weights of its hours, so a Saturday is a short day. The hours of scheduled events are longer or
shorter by a factor of their kind: an interest rate decision moves prices, a holiday of Wall Street calms them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.grid import SIZED_BY_H, HourGrid, HourTrack
from service.market.assets import WEEK, Calendar, calendar_of, week_hours, week_positions
from service.market.instants import HOUR
from service.market.months import month_starts
from service.market.scheduled_events import CODES, special_hours
from service.scores.proper import Array

TRAILING_H = 365 * 24
PRODUCT_WEEKS = 52  # of history with which an hour's own mean counts as much as the product of day and hour
LEAST_H = 30 * 24  # with less history every open hour counts alike
LEAST_WEIGHT = 0.1  # a return in a quieter hour is divided by this weight
EVENTS_H = 730 * 24  # of history from which the factors of events are measured
EVENTS_WORTH = 6.0  # ordinary events that the prior of a factor, 1, is worth [assumed]

_HOURS = np.arange(WEEK + 1)


@dataclass(frozen=True)
class Season:
    """`weights` of the 168 hours from Monday 00:00, local time: mean 1 over open hours, 0 elsewhere.

    `factors` multiply the weights of special hours, by code; that of an ordinary hour is 1.
    """

    weights: tuple[float, ...]
    factors: tuple[float, ...] = (1.0,) * CODES

    @cached_property
    def _running(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.weights)])

    def hours(self, asset: str, since: NDArray[np.int64], until: NDArray[np.int64]) -> Array:
        """The seasonal hours of `asset` between unix seconds, shape (n,); `until` is not before `since`."""
        difference = self._until(asset, until) - self._until(asset, since)
        return np.maximum(difference, 0.0)  # rounding may leave less than nothing of closed hours

    def _until(self, asset: str, times: NDArray[np.int64]) -> Array:
        """Seasonal hours from a fixed Monday until each of `times`."""
        weeks, hours = np.divmod(week_positions(asset, times), WEEK)
        ordinary = weeks * self._running[-1] + np.interp(hours, _HOURS, self._running)
        return ordinary + np.interp(times, *_special(self, asset))


@lru_cache(maxsize=16)
def _special(season: Season, asset: str) -> tuple[NDArray[np.int64], Array]:
    """Edges of the special hours, and the seasonal hours that their factors have added up to each of them."""
    special = special_hours(calendar_of(asset))
    weights = np.array(season.weights)[week_hours(asset, special.begins)]
    extra = np.cumsum(weights * (np.array(season.factors)[special.codes] - 1))
    edges = np.column_stack([special.begins, special.begins + HOUR]).ravel()
    return edges, np.column_stack([np.concatenate([[0.0], extra[:-1]]), extra]).ravel()


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
        rows = _measured_rows(track, row, TRAILING_H)
        sums += np.bincount(track.week_hour[rows], track.sizes[rows], WEEK)
        counts += np.bincount(track.week_hour[rows], minlength=WEEK)
    is_open = np.bincount(tracks[0].week_hour[tracks[0].is_open], minlength=WEEK) > 0
    weeks = counts.max() / len(tracks)
    weights = _smooth(sums, counts, weeks / (weeks + PRODUCT_WEEKS), is_open)
    return Season(tuple(weights.tolist()), _factors(tracks, weights, row))


def _measured_rows(track: HourTrack, row: int, hours: int) -> NDArray[np.int64]:
    """The open rows among the last `hours` up to `row`; none with too little history."""
    rows = np.arange(max(max(track.first, 0) + SIZED_BY_H, row + 1 - hours), row + 1)
    return rows[track.is_open[rows]] if len(rows) >= LEAST_H else rows[:0]


def _factors(tracks: Sequence[HourTrack], weights: Array, row: int) -> tuple[float, ...]:
    """The factor of each code, measured in the special hours up to `row`."""
    parts = [(track, _measured_rows(track, row, EVENTS_H)) for track in tracks]
    codes = np.concatenate([track.event[rows] for track, rows in parts])
    weeks = np.concatenate([rows // WEEK for _, rows in parts])
    sizes = np.concatenate(
        [track.sizes[rows] / np.sqrt(np.maximum(weights[track.week_hour[rows]], LEAST_WEIGHT)) for track, rows in parts]
    )
    ordinary = sizes[codes == 0]
    if not ordinary.any():
        return Season.factors
    special = codes > 0
    codes, weeks, sizes = codes[special], weeks[special], sizes[special] / ordinary.mean()
    return (1.0, *(_factor(sizes[codes == code], weeks[codes == code]) for code in range(1, CODES)))


def _factor(sizes: Array, weeks: NDArray[np.int64]) -> float:
    """The square of the mean size of events, one a week, which EVENTS_WORTH ordinary ones pull towards 1."""
    _, places = np.unique(weeks, return_inverse=True)
    events = np.bincount(places, sizes) / np.maximum(np.bincount(places), 1)
    return float((1 + (events - 1).sum() / (len(events) + EVENTS_WORTH)) ** 2)


def _smooth(sums: Array, counts: Array, share: float, is_open: NDArray[np.bool_]) -> Array:
    """The square of the mean of each hour by `share`, else of the effects of its day and of its hour of the day."""
    if not sums.any():
        return is_open.astype(float)
    raw, live = (sums / np.maximum(counts, 1)).reshape(7, 24), is_open.reshape(7, 24)
    raw = np.where(live, raw, 0.0)
    by_day = raw.sum(axis=1) / np.maximum(live.sum(axis=1), 1)
    by_hour = raw.sum(axis=0) / np.maximum(live.sum(axis=0), 1)
    product = np.outer(by_day, by_hour) / raw[live].mean() * live
    weights = ((1 - share) * product + share * raw) ** 2
    return (weights / weights[live].mean()).ravel()


def monthly_weights(grid: HourGrid, since: int = 0) -> dict[str, Array]:
    """The weights of the rows from `since` on, by asset, shape (hours - since,).

    Each row is weighed by the season at the beginning of its month, so no weight depends on a later row.
    """
    starts = [grid.row_at(start) + 1 for start in month_starts(grid.origin, grid.time_of(len(grid)))]
    first = max(row for row in (0, *starts) if row <= since)
    rows = [first, *(row for row in starts if first < row < len(grid)), len(grid)]
    weights = {asset: np.empty(len(grid)) for asset in grid.tracks}
    for begins, ends in pairwise(rows):
        seasons = seasons_at(grid, begins - 1)
        for asset, track in grid.tracks.items():
            weights[asset][begins:ends] = weights_of(track, seasons[calendar_of(asset)])[begins:ends]
    return {asset: values[since:] for asset, values in weights.items()}


def weights_of(track: HourTrack, season: Season) -> Array:
    """The weight of every row, shape (hours,); 0 where closed."""
    return np.array(season.weights)[track.week_hour] * np.array(season.factors)[track.event] * track.is_open
