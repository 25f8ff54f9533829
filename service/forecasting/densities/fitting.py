"""Fitting the models: a regression of log variance by horizon, and the quantiles of what it left unexplained.

The regression of each horizon is pulled towards a prior, which says how long an unusual variance lasts, and the mean
forecast towards the level, each by as much as 200 independent questions weigh. Without that, a month's horizon,
which half a year holds six times, would be fitted to chance: after months of falling variance, to more of the same.

Measured sizes of the past are mixed with those of simulated paths: the longer the horizon, the fewer independent
returns were measured, and the more the simulation counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import (
    HORIZONS_H,
    LEVELS,
    VERSION,
    CalendarFit,
    Fits,
    ModelFit,
    at_hours,
    mean_square,
)
from service.forecasting.densities.grid import HourGrid, HourTrack, complete_bars, hour_grid, trailing_max
from service.forecasting.densities.models import ALPHA, MODELS, Model, VarianceTrack, variance_tracks
from service.forecasting.densities.season import LEAST_WEIGHT, Season, seasons_at, weights_of
from service.market.assets import Calendar, calendar_of
from service.market.bars import Bars
from service.scores.proper import Array

Rows = NDArray[np.int64]
Histories = Sequence[tuple[HourTrack, VarianceTrack]]  # of the assets of one calendar

LEARNT_H = 600 * 24
WARM_UP_H = 14 * 24  # the first rows of an asset, whose terms are not settled
EVERY_H = 3  # between the instants of short horizons
OWN_SHARE = 3 / 7  # of a question's information that no other asset's holds [assumed]
PRIOR_WORTH = 200.0  # independent questions that weigh as much as the prior of a coefficient, and as the level
FOLDS = 5  # sizes are measured on blocks of time that the regression was not fitted to
LEAST_ROWS = 25  # with fewer a horizon keeps the model's own effects and simulated sizes
NEEDED_H = 24  # the horizon that needs so many rows before a calendar has models
LEAST_SEASONAL = 1e-3
LEAST_SQUARE = 1e-10  # per hour: the log of a realised variance is taken above it
SHOCKS_H = 365 * 24
SIMULATED_BETA = 0.91  # of simulated paths, whose variance must return to the level within weeks
STEPS = (1, 3, 6, 12, 24, 48, 72, 115, 168, 230, 336, 493, 720)
# The horizons at which measured and simulated sizes count alike: of closes, of running maxima, and of realised
# volatilities, of which each hour tells something.
FADES_H = (168.0, 168.0, 720.0)
PATHS = 4096
SEED = 20260101


@dataclass(frozen=True)
class _Past:
    """Past horizons of `hours` hours, `open_hours` of them open, from `row` on: shape (n,) each; `asset` is a place."""

    hours: int
    asset: Rows
    row: Rows
    open_hours: Array
    ratio: Array  # realised variance per seasonal hour over the level's
    scale: Array  # standard deviation at the level
    size: Array  # |log return|
    highest: Array  # running maximum
    lowest: Array


def fit(hourly: Mapping[str, Bars], slot: int) -> Fits:
    """The models fitted to hourly bars that were complete at the unix second `slot`."""
    complete = complete_bars(hourly, slot)
    if not complete:
        return Fits(VERSION, slot, {})
    grid = hour_grid(complete)
    return Fits(VERSION, slot, fit_calendars(grid, variance_tracks(grid), grid.row_at(slot)))


def fit_calendars(grid: HourGrid, tracks: Mapping[str, VarianceTrack], row: int) -> dict[Calendar, CalendarFit]:
    """The models fitted to the rows up to `row`, by calendar; a calendar with too little history has none."""
    fits: dict[Calendar, CalendarFit] = {}
    for calendar, season in seasons_at(grid, row).items():
        histories = [(grid.tracks[asset], tracks[asset]) for asset in grid.tracks if calendar_of(asset) == calendar]
        pasts = [_past(histories, season, row, hours) for hours in HORIZONS_H]
        if len(pasts[HORIZONS_H.index(NEEDED_H)].row) >= LEAST_ROWS:
            simulation = simulate(_shocks(histories, season, row), STEPS, ALPHA, SIMULATED_BETA)
            models = {name: _fit(model, pasts, histories, simulation) for name, model in MODELS.items()}
            fits[calendar] = CalendarFit(season, models)
    return fits


def least_history_h(assets: int) -> int:
    """Hours of bars of each of so many assets from which their calendar has models, if half of its hours are open."""
    return WARM_UP_H + NEEDED_H + 2 * ceil(LEAST_ROWS / assets) * _spacing(NEEDED_H)


def _spacing(hours: int) -> int:
    """Hours between the instants at which a horizon is asked: a twelfth of it, odd, so that hours of the day vary."""
    return max(EVERY_H, hours // 12 | 1)


LEAST_DAYS = ceil(least_history_h(1) / 24)  # of hourly bars, from which any calendar has models


def _past(histories: Histories, season: Season, row: int, hours: int) -> _Past:
    parts = [_past_of(place, *history, season, row, hours) for place, history in enumerate(histories)]
    arrays = [field.name for field in fields(_Past) if field.name != "hours"]
    return _Past(hours, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays})


def _past_of(place: int, track: HourTrack, variance: VarianceTrack, season: Season, last: int, hours: int) -> _Past:
    """The past horizons of one asset, which begin at rows up to `last` - `hours`."""
    rows = np.arange(max(track.first + WARM_UP_H, last - LEARNT_H), last - hours + 1, _spacing(hours))
    open_hours = track.open_hours[rows + hours] - track.open_hours[rows]
    is_usable = track.has_bar[rows] & (open_hours > 0)
    rows, open_hours = rows[is_usable], open_hours[is_usable]
    seasonal_hours = np.cumsum(weights_of(track, season))
    seasonal = np.maximum(seasonal_hours[rows + hours] - seasonal_hours[rows], LEAST_SEASONAL)
    squares = np.cumsum(track.returns**2)
    square_sum = np.maximum(squares[rows + hours] - squares[rows], LEAST_SQUARE * hours)
    scale = np.sqrt(seasonal * np.exp(variance.level[rows]))
    start = track.close[rows]
    return _Past(
        hours=hours,
        asset=np.full(len(rows), place),
        row=rows,
        open_hours=open_hours,
        ratio=square_sum / scale**2,
        scale=scale,
        size=np.abs(track.close[rows + hours] - start),
        highest=np.maximum(trailing_max(track.high, hours)[rows + hours] - start, 0.0),
        lowest=np.maximum(start + trailing_max(-track.low, hours)[rows + hours], 0.0),
    )


def _shocks(histories: Histories, season: Season, row: int) -> Array:
    """The moves of the last year's hours over the standard deviation that the GARCH term expected, shape (n, 3).

    Those of the close, the high and the low from the close before.
    """
    parts = []
    for track, variance in histories:
        rows = np.arange(max(track.first + WARM_UP_H, row - SHOCKS_H), row + 1)
        rows = rows[track.is_open[rows]]
        weights = np.maximum(weights_of(track, season)[rows], LEAST_WEIGHT)
        expected = np.exp(variance.level[rows - 1] + variance.terms["garch"][rows - 1])
        before = track.close[rows - 1]
        moves = np.column_stack([track.returns[rows], track.high[rows] - before, track.low[rows] - before])
        parts.append(moves / np.sqrt(weights * expected)[:, None])
    return np.concatenate(parts)


def simulate(shocks: Array, steps: tuple[int, ...], alpha: float, beta: float) -> Array:
    """Filtered historical simulation (Barone-Adesi et al. 1999): past hours drawn anew, through a GARCH process.

    A running maximum counts the highs within the hours, as a touch does. `shocks`, shape (n, 3), are log returns from
    the close before to the close, the high and the low of an hour, all over the standard deviation that was expected of
    the first. `steps` are numbers of open hours, rising. The process of `alpha` and `beta` starts at its mean.

    The result, shape (steps, 3, levels), are quantiles at LEVELS of |close|, of the running maximum and of the realised
    volatility, in units of the square root of the expected variance.
    """
    generator = np.random.default_rng(SEED)
    returns = shocks[:, 0]
    without_drift = ((shocks - returns.mean()) / returns.std()).astype(np.float32)
    close_shocks, high_shocks, low_shocks = without_drift.T
    price, highest, lowest, squares = np.zeros((4, PATHS), np.float32)
    variance = np.ones(PATHS, np.float32)
    rows = []
    for step in range(1, steps[-1] + 1):
        draws, sigma = generator.integers(0, len(shocks), PATHS), np.sqrt(variance)
        highest = np.maximum(highest, price + sigma * high_shocks[draws])
        lowest = np.minimum(lowest, price + sigma * low_shocks[draws])
        shock = close_shocks[draws]
        price, squares = price + sigma * shock, squares + variance * shock**2
        variance = (1 - alpha - beta) + (alpha * shock**2 + beta) * variance
        if step in steps:
            samples = (np.abs(price), np.concatenate([highest, -lowest]), np.sqrt(squares))
            rows.append([np.quantile(sample, LEVELS) / np.sqrt(step) for sample in samples])
    return np.array(rows)


def _fit(model: Model, pasts: Sequence[_Past], histories: Histories, simulation: Array) -> ModelFit:
    horizons = []
    for past in pasts:
        terms = [
            variance.matrix(model.names, past.row[past.asset == place]) for place, (_, variance) in enumerate(histories)
        ]
        horizons.append(_horizon(model, past, np.concatenate(terms), simulation))
    return ModelFit(model.names, *(tuple(tuple(row.tolist()) for row in rows) for rows in zip(*horizons, strict=True)))


def _horizon(model: Model, past: _Past, values: Array, simulation: Array) -> tuple[Array, ...]:
    """Coefficients of (1, *terms), and quantiles of closes, of running maxima and of realised volatilities.

    Sizes are in standard deviations of the close. The forecast at the level is pulled to the level by the share
    PRIOR_WORTH / (PRIOR_WORTH + independent questions), as the coefficients are to theirs by the ridge.
    """
    prior = np.array([0.0, *model.effect(past.hours)])
    if len(values) < LEAST_ROWS:
        simulated = at_hours(simulation, STEPS, past.hours)
        return prior, *(row / np.sqrt(mean_square(simulated[0])) for row in simulated)
    design = np.column_stack([np.ones(len(values)), values])
    coefficients = _ridge(design, np.log(past.ratio), prior, past.hours, np.ones(len(values), dtype=bool))
    log_ratios = _held_out(design, past, prior, coefficients)
    quantiles = _size_quantiles(past, log_ratios, simulation)
    # The regression of a log is below the log of the mean, most of all over an hour.
    spread = np.sqrt(mean_square(quantiles[0]))
    coefficients[0] += 2 * np.log(spread)
    level_share = PRIOR_WORTH / (PRIOR_WORTH + _worth(len(design), past.hours))
    coefficients[0] -= level_share * (coefficients @ _at_level(design, prior))
    return coefficients, *(row / spread for row in quantiles)


def _worth(questions: int, hours: int) -> float:
    """The number of independent questions that so many overlapping ones are worth."""
    return questions * min(1.0, _spacing(hours) / hours) * OWN_SHARE


def _at_level(design: Array, prior: Array) -> Array:
    """A row of the design with the persistent features at the level, which is 0, and the others at their means."""
    return np.where(prior != 0, 0.0, design.mean(axis=0))


def _held_out(design: Array, past: _Past, prior: Array, coefficients: Array) -> Array:
    """The log ratio predicted for each block of time by a fit to the others; by `coefficients` where they are few."""
    log_ratios, target = design @ coefficients, np.log(past.ratio)
    edges = np.linspace(past.row.min(), past.row.max() + 1, FOLDS + 1)
    for begins, ends in pairwise(edges.tolist()):
        held_out = (past.row >= begins) & (past.row < ends)
        others = (past.row < begins - past.hours) | (past.row >= ends + past.hours)
        if others.sum() >= LEAST_ROWS:
            log_ratios[held_out] = design[held_out] @ _ridge(design, target, prior, past.hours, others)
    return log_ratios


def _size_quantiles(past: _Past, log_ratios: Array, simulation: Array) -> list[Array]:
    """Quantiles of closes, of running maxima and of realised volatilities around the predicted log ratios.

    Measured and simulated ones are mixed.
    """
    sigma = past.scale * np.exp(log_ratios / 2)
    spread = np.sqrt(np.mean(past.ratio / np.exp(log_ratios)))
    simulated = at_hours(simulation, STEPS, float(past.open_hours.mean()))
    size_samples = (
        past.size / sigma,
        np.concatenate([past.highest / sigma, past.lowest / sigma]),
        np.sqrt(past.ratio / np.exp(log_ratios)),
    )
    shares = (1 / (1 + past.hours / fades_h) for fades_h in FADES_H)  # of what is measured
    return [
        share * np.quantile(values, LEVELS) + (1 - share) * spread * paths
        for share, values, paths in zip(shares, size_samples, simulated, strict=True)
    ]


def _ridge(design: Array, target: Array, prior: Array, hours: int, chosen: NDArray[np.bool_]) -> Array:
    """Least squares with the prior; features count in their own standard deviations, persistent ones around 0."""
    rows = design[chosen]
    centers = _at_level(rows, prior)
    centers[0] = 0.0
    scales = np.sqrt(np.mean((rows - centers) ** 2, axis=0)) + 1e-9
    scales[0] = 1.0
    features = (rows - centers) / scales
    weights = np.full(len(prior) - 1, PRIOR_WORTH / _worth(len(rows), hours))
    penalty = np.diag(np.concatenate([[0.0], weights]))
    residual = target[chosen] - rows @ prior
    step = np.linalg.solve(features.T @ features / len(rows) + penalty, features.T @ residual / len(rows)) / scales
    step[0] -= step[1:] @ centers[1:]
    return prior + step
