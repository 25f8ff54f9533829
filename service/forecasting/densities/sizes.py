"""How returns and running extremes spread around a forecast variance, by horizon.

A distribution is given by quantiles of the size |r| / sigma, the same for up and down, of which the mean square is 1:
sigma is the standard deviation. Measured sizes of the past are mixed with those of simulated paths: the longer the
horizon, the fewer independent returns were measured, and the more the simulation counts.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from service.scores.proper import Array

# The probabilities of the quantiles: of a size below them.
LEVELS = np.concatenate([np.arange(50) / 50, [0.99, 0.995, 0.998]])
_LOG_TAIL = np.log1p(-LEVELS)
_GAPS = np.arange(len(LEVELS)) * 1e-9  # so that no two quantiles are equal
# The horizons at which measured and simulated sizes count alike: of closes, of running maxima, and of realised
# volatilities, of which each hour tells something.
FADES_H = (168.0, 168.0, 720.0)
PATHS = 4096
SEED = 20260101


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
