"""The distribution of one asset's log return over one horizon, by a fitted model, and the mixture of several.

A distribution is given by quantiles of the size |r| / sigma, the same for up and down, of which the mean square is 1:
sigma is the standard deviation. The fits are plain numbers that JSON carries without loss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from service.documents import JsonRecord
from service.forecasting.densities.season import Season
from service.market.assets import Calendar, calendar_of
from service.scores.proper import Array

VERSION = "fits/8"  # changes with the models or their arithmetic; the next refit replaces fits of another version
HORIZONS_H = (1, 3, 6, 12, 24, 48, 72, 168, 336, 720)
# The probabilities of the quantiles: of a size below them.
LEVELS = np.concatenate([np.arange(50) / 50, [0.99, 0.995, 0.998]])
_LOG_TAIL = np.log1p(-LEVELS)
_GAPS = np.arange(len(LEVELS)) * 1e-9  # so that no two quantiles are equal


@dataclass(frozen=True)
class ModelFit:
    """One model of the assets of one calendar.

    The log ratio of the variance per seasonal hour to the asset's level is `coefficients[horizon] @ (1, *terms)`.
    `close`, `maximum` and `realised` are quantiles of |return|, of the running maximum and of the realised volatility,
    in standard deviations. The first axis of all four is HORIZONS_H.
    """

    terms: tuple[str, ...]
    coefficients: tuple[tuple[float, ...], ...]
    close: tuple[tuple[float, ...], ...]
    maximum: tuple[tuple[float, ...], ...]
    realised: tuple[tuple[float, ...], ...]

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """`coefficients`, `close`, `maximum` and `realised` as matrices, one row for each horizon."""
        return tuple(map(np.array, (self.coefficients, self.close, self.maximum, self.realised)))


@dataclass(frozen=True)
class CalendarFit:
    """The seasonal clock and the models, by voter, of the assets with one calendar."""

    season: Season
    models: Mapping[str, ModelFit]


@dataclass(frozen=True)
class Fits(JsonRecord):
    """The models fitted to the bars before the unix second `slot`; a calendar with too little history has none.

    Reading them takes milliseconds, so keep the result while the slot lasts.
    """

    version: str
    slot: int
    calendars: Mapping[Calendar, CalendarFit]

    def of(self, asset: str) -> CalendarFit | None:
        """The models of the assets with this one's trading hours."""
        return self.calendars.get(calendar_of(asset))


NORMAL = NormalDist()
# Of the size of a normal value, and by the reflection principle (André 1887) of the running maximum too.
NORMAL_SIZES = np.array([NORMAL.inv_cdf((1 + level) / 2) for level in LEVELS.tolist()])
# Of a realised volatility around one that is known to a quarter [assumed]: a log-normal value with mean square 1.
UNSURE = 0.25
UNSURE_SIZES = np.array([math.exp(UNSURE * (NORMAL.inv_cdf(max(level, 1e-4)) - UNSURE)) for level in LEVELS.tolist()])
LONGEST_H = HORIZONS_H[-1]
FAST_FADES_H = 720.0  # open hours over which the present volatility gives way to the 180-day one
MOST_STEPS, SMALLEST_MISS = 60, 1e-13  # of the search for a quantile of a mixture


@dataclass(frozen=True)
class Density:
    """`sigma` is the standard deviation of the log return; 0 where the market is closed throughout.

    `close`, `maximum` and `volatility` are quantiles at LEVELS of |log return|, of the running maximum and of the
    realised volatility, in sigmas. Up and down are alike around `drift`, a log return.
    """

    sigma: float
    close: Array
    maximum: Array
    volatility: Array
    drift: float = 0.0

    def above(self, distance: float) -> float:
        """P(the log return is above `distance`)."""
        distance -= self.drift
        if not self.sigma or not distance:
            return 0.5 - 0.5 * (int(distance > 0) - int(distance < 0))
        tail = float(tail_odds(self.close, abs(distance) / self.sigma)) / 2
        return tail if distance > 0 else 1 - tail

    def between(self, lower: float, upper: float) -> float:
        """P(the log return is between two values, `lower` <= `upper`)."""
        return self.above(lower) - self.above(upper)

    def touch(self, distance: float) -> float:
        """P(the price moves by at least `distance`, up or down as its sign says, at some time); 1 at 0.

        With a drift it follows from the reflection principle: P(max >= b) = Phi(m - d) + exp(2 m d) Phi(-m - d), where
        d is the distance at which a Brownian motion touches as often as this distribution without its drift, and m the
        drift in standard deviations. Never less than closing beyond.
        """
        if not distance:
            return 1.0
        touches = float(tail_odds(self.maximum, abs(distance) / self.sigma))
        if not self.drift:
            return touches
        reach, drift = -NORMAL.inv_cdf(min(touches / 2, 0.5)), math.copysign(self.drift, self.drift * distance)
        drift /= self.sigma
        touches = NORMAL.cdf(drift - reach) + math.exp(2 * drift * reach) * NORMAL.cdf(-drift - reach)
        p_beyond = self.above(distance) if distance > 0 else 1 - self.above(distance)
        return min(1.0, max(touches, p_beyond))

    def more_volatile(self, sigma: float) -> float:
        """P(the root of the sum of squared hourly log returns is above `sigma`)."""
        return float(tail_odds(self.volatility, sigma / self.sigma))

    def leaning(self, p_up: float) -> Density:
        """The same distribution moved so far that the log return is above 0 with the probability `p_up`."""
        return replace(self, drift=float(self.quantiles(np.array([p_up]))[0]) - self.drift)

    def quantiles(self, levels: Array) -> Array:
        """Log returns below which the price ends with the probabilities `levels`, each in (0, 1)."""
        return self.drift + self.sigma * signed(levels, sizes_below(self.close, np.abs(2 * levels - 1)))


def at_hours(rows: Array, steps: tuple[int, ...], hours: float) -> Array:
    """The row for a number of `hours`, interpolated in the logarithm between those of `steps`, which rise from 1."""
    place = _place(steps, hours)
    low = int(place)
    high, share = min(low + 1, len(steps) - 1), place - low
    return (1 - share) * rows[low] + share * rows[high]


@lru_cache(maxsize=64)
def _place(steps: tuple[int, ...], hours: float) -> float:
    """Where `hours` lies among `steps`; every voter asks for the same."""
    return float(np.interp(np.log(max(hours, 1.0)), np.log(steps), np.arange(len(steps))))


def mean_square(quantiles: Array) -> float:
    """The mean of the square of a size: of its quantiles at LEVELS, and of the exponential tail beyond the last."""
    inside = np.trapezoid(np.square(quantiles), LEVELS)
    last, tail = quantiles[-1], -1 / _slope(quantiles)
    return float(inside + (1 - LEVELS[-1]) * (last**2 + 2 * last * tail + 2 * tail**2))


def tail_odds(quantiles: Array, size: Array | float) -> Array:
    """P(a size is above `size`), shape of `size`; beyond the last of the quantiles it falls exponentially."""
    knots = np.maximum.accumulate(quantiles + _GAPS)
    inside = np.interp(size, knots, _LOG_TAIL)
    tail = _LOG_TAIL[-1] + _slope(knots) * (size - knots[-1])
    return np.exp(np.where(np.asarray(size) > knots[-1], tail, inside))


def sizes_below(quantiles: Array, shares: Array) -> Array:
    """The sizes below which lie `shares` in [0, 1), shape of `shares`: the inverse of `tail_odds`."""
    knots, logs = np.maximum.accumulate(quantiles + _GAPS), np.log1p(-shares)
    inside = np.interp(-logs, -_LOG_TAIL, knots)
    tail = knots[-1] + (logs - _LOG_TAIL[-1]) / _slope(knots)
    return np.where(logs < _LOG_TAIL[-1], tail, inside)


def _slope(quantiles: Array) -> float:
    """By how much the log of the tail falls beyond the last of the quantiles, for each unit of size."""
    return (_LOG_TAIL[-1] - _LOG_TAIL[-4]) / max(quantiles[-1] - quantiles[-4], 1e-9)


def signed(levels: Array, sizes: Array) -> Array:
    """The quantiles at `levels` of a symmetric value of which `sizes` has the size at |2 level - 1|."""
    return np.sign(np.round(levels - 0.5, 9)) * sizes


def mixture_sizes(sigmas: Array, closes: Sequence[Array], shares: Array) -> Array:
    """The sizes of log returns below which the equal mixture of symmetric densities has the probabilities `shares`.

    `sigmas`, positive, are the standard deviations of the densities in n questions, shape (densities, n), `closes` the
    quantiles at LEVELS of the sizes of each density in standard deviations, `shares` in [0, 1). The sizes, shape
    (n, shares), are found by false position (Anderson and Björck 1973) between the least and the greatest of those of
    the densities.
    """
    component_sizes = np.array(
        [sigma[:, None] * sizes_below(close, shares) for sigma, close in zip(sigmas, closes, strict=True)]
    )

    target = np.log1p(-shares)

    def missing(sizes: Array) -> Array:
        tails = (tail_odds(close, sizes / sigma[:, None]) for sigma, close in zip(sigmas, closes, strict=True))
        return np.log(sum(tails) / len(closes)) - target  # nearly linear in the size

    low, high = component_sizes.min(axis=0), component_sizes.max(axis=0)
    at_low, at_high, sizes = missing(low), missing(high), low
    for _ in range(MOST_STEPS):
        gap = at_low - at_high
        sizes = np.where(gap > 0, low + (high - low) * at_low / np.where(gap > 0, gap, 1.0), low)
        value = missing(sizes)
        if np.abs(value).max(initial=0.0) < SMALLEST_MISS:
            break
        is_low = value > 0
        at_end = np.where(is_low, at_low, at_high)
        weight = 1 - value / np.where(at_end != 0, at_end, 1.0)  # what the end that stays counts for
        weight = np.where(weight > 0, weight, 0.5)
        at_high, at_low = np.where(is_low, at_high * weight, value), np.where(is_low, value, at_low * weight)
        low, high = np.where(is_low, sizes, low), np.where(is_low, high, sizes)
    return sizes


def normal(sigma: float) -> Density:
    """The normal distribution without a drift: plain volatility."""
    return Density(sigma, NORMAL_SIZES, NORMAL_SIZES, UNSURE_SIZES)


def student(sigma: float, freedom: float, drift: float = 0.0) -> Density:
    """Student's t distribution with a standard deviation and more than two degrees of freedom.

    Its quantiles follow from the normal ones (Wallace 1959), which is exact to a few thousandths.
    """
    slope = (8 * freedom + 1) / (8 * freedom + 3)
    sizes = np.sqrt((freedom - 2) * np.expm1(np.square(NORMAL_SIZES / slope) / freedom))
    return Density(sigma, sizes, sizes, UNSURE_SIZES, drift)


def density(fit: ModelFit, level: float, terms: Mapping[str, float], hours: float, seasonal_hours: float) -> Density:
    """The distribution over `hours` hours of wall time, which are `seasonal_hours` of the seasonal clock.

    `level` is the log variance per seasonal hour over 180 days. Beyond 30 days the variance returns to the level.
    A missing term counts as 0, nothing unusual: a context stored before an upgrade lacks the new ones.
    """
    row = np.array([[terms.get(name, 0.0) for name in fit.terms]])
    (sigma,) = sigmas(fit, np.array([level]), row, hours, np.array([seasonal_hours])).tolist()
    close, maximum, volatility = size_quantiles(fit, hours)
    return Density(sigma, close, maximum, volatility)


def sigmas(fit: ModelFit, level: Array, terms: Array, hours: float, seasonal_hours: Array) -> Array:
    """`Density.sigma` of many questions with one horizon, shape (n,); `terms` has shape (n, terms)."""
    coefficients = at_hours(fit.arrays[0], HORIZONS_H, hours)
    ratio = (coefficients[0] + terms @ coefficients[1:]) * min(1.0, LONGEST_H / max(hours, 1.0))
    return np.sqrt(np.exp(level + ratio) * seasonal_hours)


def size_quantiles(fit: ModelFit, hours: float) -> tuple[Array, ...]:
    """The quantiles of closes, of running maxima and of realised volatilities at a horizon."""
    return tuple(at_hours(matrix, HORIZONS_H, hours) for matrix in fit.arrays[1:])


def horizon_sigma(fast: Array | float, slow: Array | float, hours: Array | float) -> Array:
    """Standard deviation of the log return over a horizon, by plain volatility.

    Volatility reverts to its long-run level, so the variance per hour is a mixture of the present and the 180-day
    one: sqrt((w fast + (1 - w) slow) hours) with w = exp(-hours / 720). `fast` and `slow` are variances of the log
    return per open hour, now (half-life 72 h) and over 180 days, `hours` the open hours until the deadline, at least 0.
    """
    share = np.exp(-hours / FAST_FADES_H)
    variance: Any = (share * fast + (1 - share) * slow) * hours
    return np.sqrt(variance)


def outperforms(first: Density, second: Density, correlation: float, lead: float = 0.0) -> float:
    """P(one asset returns more than another), both log returns being normal.

    `correlation` is that of hourly returns, in [-1, 1], and `lead` the log return by which the asset is ahead already.
    Where the two returns cannot differ any more, the one that leads wins; 0.5 without a lead.
    """
    variance = first.sigma**2 + second.sigma**2 - 2 * correlation * first.sigma * second.sigma
    lead += first.drift - second.drift
    if variance < 1e-18:
        return 0.5 + 0.5 * (int(lead > 0) - int(lead < 0))
    return NORMAL.cdf(lead / math.sqrt(variance))
