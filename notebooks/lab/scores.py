"""Scores of forecasts with intervals, as the service computes them.

`p` is P(YES) and `happened` 1 or 0 throughout, both of shape (n,). Markets that resolve in the same calendar week
depend on the same prices, so every interval treats a week as one cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.scores import dependence
from service.scores.dependence import LEVELS, Dependence
from service.scores.intervals import LEAST_N, clustered_mean

Array = NDArray[np.float64]
Weeks = NDArray[np.int64]

CLIP = 0.001  # of probabilities before they become log-odds
MOST_BINS, LEAST_IN_BIN = 10, 10
# The weights of the pool: standard deviations of the priors of its stretch and of each voter's part, and their bounds.
PRIOR_STRETCH, PRIOR_APART, LIGHTEST, HEAVIEST = 0.15, 0.2, 0.5, 2.0
STEPS = 20  # of Newton's method, which needs fewer than ten


def weeks_of(instants: pd.Series) -> Weeks:
    """The calendar week, from Monday 00:00 UTC, of each instant."""
    return dependence.weeks_of(((instants - pd.Timestamp(0, tz="UTC")) // pd.Timedelta(seconds=1)).to_numpy())


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


def weekly_mean(values: Array, weeks: Weeks, prior: Dependence) -> WeeklyMean:
    """The mean of `values` (n,) with an interval clustered by `weeks` (n,), as the service computes it."""
    mean = clustered_mean(values, weeks, prior)
    return WeeklyMean(mean.n, mean.n_eff, mean.mean, *mean.interval())


def correlation(p: Array, happened: Array, weeks: Weeks) -> WeeklyMean:
    """The correlation of forecasts and outcomes: near 0 for forecasts that say nothing about the outcome."""
    spread = p.std() * happened.std()
    products = (p - p.mean()) * (happened - happened.mean()) if len(p) else p
    return weekly_mean(products / spread if spread > 0 else np.zeros(len(p)), weeks, LEVELS)


def calibration(p: Array, happened: Array, weeks: Weeks) -> list[dict[str, float]]:
    """At most ten bins of equal size, each with at least ten forecasts: the mean forecast and how often YES came.

    `observed_pct` has a 95% interval by Wilson's formula for the number of independent markets. No bins with fewer than
    30 forecasts.
    """
    n = len(p)
    if n < LEAST_N:
        return []
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return [_bin(p[part], happened[part], weeks[part]) for part in parts]


def _bin(p: Array, happened: Array, weeks: Weeks) -> dict[str, float]:
    share = clustered_mean(happened, weeks, LEVELS)
    low, high = share.share_interval()
    observed = {"observed_pct": 100 * share.mean, "low_pct": 100 * low, "high_pct": 100 * high}
    return {"p": float(p.mean()), **observed, "n": len(p)}


def earned_weights(p: Mapping[str, Array], happened: Array, weeks: Weeks) -> dict[str, float]:
    """The weight of each voter in a pool of them all, by the rule of the service; `p` is NaN where one did not vote.

    The weights with which the pool would have had the best log score (stacking), shrunken to equal ones by a prior and
    by the number of independent markets, over their mean, within [0.5, 2].
    """
    votes = np.column_stack(list(p.values()))
    n_eff = clustered_mean(happened - np.nanmean(votes, axis=1), weeks, LEVELS).n_eff
    raw = _stacked(votes, happened, n_eff / len(happened))
    return dict(zip(p, np.clip(raw / raw.mean(), LIGHTEST, HEAVIEST).tolist(), strict=True))


def _stacked(votes: Array, happened: Array, worth: float) -> Array:
    """The maximum a posteriori weights, 1 on average; each market counts `worth` times."""
    mean = np.clip(np.nanmean(votes, axis=1), CLIP, 1 - CLIP)
    apart = (votes - mean[:, None]) / (mean * (1 - mean))[:, None]
    design = np.column_stack([log_odds(mean), np.nan_to_num(apart)])
    start = np.array([1.0, *[0.0] * votes.shape[1]])
    precision = np.array([PRIOR_STRETCH, *[PRIOR_APART] * votes.shape[1]]) ** -2
    coefficients = start
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-design @ coefficients))
        slope = worth * design.T @ (p - happened) + precision * (coefficients - start)
        curvature = worth * (design * (p * (1 - p))[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curvature, slope)
        coefficients = coefficients - step / max(1.0, float(np.abs(step).max()))
    return 1 + np.isfinite(votes).sum(axis=1).mean() * coefficients[1:] / coefficients[0]


def log_odds(p: Array) -> Array:
    """Of probabilities, which are clipped to [0.001, 0.999]."""
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return np.log(clipped / (1 - clipped))
