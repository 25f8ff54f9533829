"""How good the best of many looks by luck alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from service.scores.proper import Array

DRAWS, SEED = 5_000, 20_260_401
NOISE = 1e-12  # a smaller standard deviation is a rounding error
MOST_TRIALS = 1_000


def luckiest_of(returns: NDArray[np.float64]) -> float:
    """The expected best of as many forecasters or strategies without skill, in standard errors of their means.

    It is the mean of the greatest of standard normal values with the correlations of `returns` (strategies, periods),
    simulated from a fixed seed: standardised returns times independent normal values correlate as they do. Strategies
    whose returns are constant do not count; 0 with fewer than two periods.
    """
    if returns.ndim < 2 or returns.shape[1] < 2:
        return 0.0
    varied = returns[returns.std(axis=1) >= NOISE]
    if len(varied) < 2:
        return 0.0
    deviations = varied - varied.mean(axis=1, keepdims=True)
    factors = deviations / np.sqrt(np.square(deviations).sum(axis=1, keepdims=True))
    return max(0.0, float((factors @ _draws(varied.shape[1])).max(axis=0).mean()))


@lru_cache(maxsize=1)  # windows of the same length have the same draws
def _draws(periods: int) -> Array:
    return np.random.default_rng(SEED).standard_normal((periods, DRAWS))


def independent_trials(best: float) -> float:
    """The number of independent trials, 1 to 1,000, whose expected best is `best` standard errors.

    >>> round(independent_trials(0.0), 2), round(independent_trials(0.5642), 2), round(independent_trials(1.8675), 1)
    (1.0, 2.0, 20.0)
    """
    trials, bests = _expected_bests()
    return float(np.exp(np.interp(best, bests, np.log(trials))))


@lru_cache
def _expected_bests() -> tuple[Array, Array]:
    """Numbers of trials, and the expected greatest of so many standard normal values, shape (n,) each.

    The integral of 1 - F(x)^N over x above 0, less that of F(x)^N below it.
    """
    from scipy.special import ndtr

    trials, x = np.geomspace(1, MOST_TRIALS, 400), np.arange(-8, 8, 0.01) + 0.005
    below = ndtr(x) ** trials[:, None]
    return trials, 0.01 * np.where(x > 0, 1 - below, -below).sum(axis=1)
