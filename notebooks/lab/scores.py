"""Scores of forecasts with intervals, as the service computes them.

`p` is P(YES) and `happened` 1 or 0 throughout, both of shape (n,). Markets that resolve in the same calendar week
depend on the same prices, so every interval treats a week as one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from notebooks.widgets.base.intervals import wilson

Array = NDArray[np.float64]
Weeks = NDArray[np.int64]

LEAST_N = 30  # markets below which there is neither a verdict nor a calibration
LEAST_WEEKS = 8  # with fewer, the spread between weeks cannot be measured and each week counts as one market
LOG_CLIP = 0.01
MOST_BINS, LEAST_IN_BIN = 10, 10
WEEK_S, FIRST_MONDAY_S = 604_800, 345_600  # unix time began on a Thursday
# The weights of the pool: four usual weeks as the prior, and the bounds.
PRIOR_SQUARES, LIGHTEST, HEAVIEST = 4 * 0.02**2, 0.25, 3.0


def brier(p: Array, happened: Array) -> Array:
    """The squared error of each forecast: 0 is perfect, 0.25 the score of 50%.

    >>> brier(np.array([0.8, 0.5]), np.array([1.0, 0.0])).round(2).tolist()
    [0.04, 0.25]
    """
    return np.square(p - happened)


def log_score(p: Array, happened: Array) -> Array:
    """Minus the log of the probability of the outcome, probabilities clipped to [0.01, 0.99].

    >>> log_score(np.array([0.8, 0.0]), np.array([1.0, 1.0])).round(4).tolist()
    [0.2231, 4.6052]
    """
    clipped = np.clip(p, LOG_CLIP, 1 - LOG_CLIP)
    return -np.log(np.where(happened == 1, clipped, 1 - clipped))


def weeks_of(instants: pd.Series) -> Weeks:
    """The calendar week, from Monday 00:00 UTC, of each instant."""
    seconds = (instants - pd.Timestamp(0, tz="UTC")) // pd.Timedelta(seconds=1)
    return (seconds.to_numpy(dtype=np.int64) - FIRST_MONDAY_S) // WEEK_S


@dataclass(frozen=True)
class WeeklyMean:
    """A mean of `n` values, worth `n_eff` independent ones, with its 95% interval; NaN where there is none."""

    n: int
    n_eff: float
    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether there are enough values and the interval leaves out 0."""
        return self.n >= LEAST_N and (self.low > 0 or self.high < 0)

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def weekly_mean(values: Array, weeks: Weeks) -> WeeklyMean:
    """The mean of `values` (n,) with an interval clustered by `weeks` (n,).

    The variance of the mean is c / (c - 1) times the sum of the squared sums of deviations in each of c weeks, over n^2
    (Cochran 1977, section 9A.1), at least that of independent values; the interval is Student's t with c - 1 degrees of
    freedom.
    """
    n = len(values)
    _, places = np.unique(weeks, return_inverse=True)
    clusters = int(places.max()) + 1 if n else 0
    mean = float(values.mean()) if n else np.nan
    deviation = float(values.std(ddof=1)) if n > 1 else np.nan
    effect = 1.0 if n < 2 else n / clusters
    if clusters >= LEAST_WEEKS and deviation > 0:
        sums = np.bincount(places, values - mean)
        variance = clusters / (clusters - 1) * float(sums @ sums) / n**2
        effect = max(1.0, variance / (deviation**2 / n))
    half = _t_quantile(clusters) * deviation * sqrt(effect / n) if clusters > 1 else np.nan
    return WeeklyMean(n, n / effect, mean, mean - half, mean + half)


def _t_quantile(clusters: int) -> float:
    return float(stdtrit(clusters - 1, 0.975))


def correlation(p: Array, happened: Array, weeks: Weeks) -> WeeklyMean:
    """The correlation of forecasts and outcomes: near 0 for forecasts that say nothing about the outcome."""
    spread = p.std() * happened.std()
    products = (p - p.mean()) * (happened - happened.mean()) if len(p) else p
    return weekly_mean(products / spread if spread > 0 else np.zeros(len(p)), weeks)


def calibration(p: Array, happened: Array, weeks: Weeks) -> list[dict[str, float]]:
    """At most ten bins of equal size, each with at least ten forecasts: the mean forecast and how often YES came.

    `observed_pct` has a 95% interval by Wilson's formula for the number of independent markets, 0 to 100 where all of
    them resolved in one week. No bins with fewer than 30 forecasts.
    """
    n = len(p)
    if n < LEAST_N:
        return []
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return [_bin(p[part], happened[part], weeks[part]) for part in parts]


def _bin(p: Array, happened: Array, weeks: Weeks) -> dict[str, float]:
    share = weekly_mean(happened, weeks)
    clusters = len(np.unique(weeks))
    low, high = wilson(share.mean, share.n_eff, _t_quantile(clusters)) if clusters > 1 else (0.0, 1.0)
    observed = {"observed_pct": 100 * share.mean, "low_pct": 100 * low, "high_pct": 100 * high}
    return {"p": float(p.mean()), **observed, "n": len(p)}


def earned_weight(p: Array, others: Array, happened: Array, weeks: Weeks) -> float:
    """The weight that a voter would earn beside `others`, shape (n, voters), by the rule of the service.

    The others keep the weight 1, and the voter starts with it. Each week it gains or loses the mean of the pool's Brier
    score less its own, g; the log of its weight is eta sum(g) - eta^2 sum(g^2), with eta half of
    1 / sqrt(prior + sum(g^2)) (Wintenberger 2017), within [0.25, 3].
    """
    total, squares, weight = 0.0, 0.0, 1.0
    sums, counts = np.nansum(others, axis=1), np.isfinite(others).sum(axis=1)
    for week in np.unique(weeks):
        rows = weeks == week
        pool = (sums[rows] + weight * p[rows]) / (counts[rows] + weight)
        gain = float((brier(pool, happened[rows]) - brier(p[rows], happened[rows])).mean())
        total, squares = total + gain, squares + gain**2
        eta = 0.5 / sqrt(PRIOR_SQUARES + squares)
        weight = float(np.clip(np.exp(eta * total - eta**2 * squares), LIGHTEST, HEAVIEST))
    return weight
