"""Scores of forecasts with intervals, as the service computes them.

`p` is P(YES) and `outcomes` 1 or 0 throughout, both of shape (n,). Markets that resolve in the same calendar week
depend on the same prices, so every interval treats a week as one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.scores import intervals
from service.scores.intervals import LEAST_N, LEVELS, Dependence, clustered_mean
from service.scores.proper import aggregate

Array = NDArray[np.float64]
Weeks = NDArray[np.int64]

MOST_BINS, LEAST_IN_BIN = 10, 10
BANDS = {"day": (0, 24), "week": (24, 168), "longer": (168, np.inf)}  # of horizons, in hours


def weeks_of(instants: pd.Series) -> Weeks:
    """The calendar week, from Monday 00:00 UTC, of each instant."""
    return intervals.weeks_of(((instants - pd.Timestamp(0, tz="UTC")) // pd.Timedelta(seconds=1)).to_numpy())


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


def correlation(p: Array, outcomes: Array, weeks: Weeks) -> WeeklyMean:
    """The correlation of forecasts and outcomes: near 0 for forecasts that say nothing about the outcome."""
    spread = p.std() * outcomes.std()
    products = (p - p.mean()) * (outcomes - outcomes.mean()) if len(p) else p
    return weekly_mean(products / spread if spread > 0 else np.zeros(len(p)), weeks, LEVELS)


def calibration(p: Array, outcomes: Array, weeks: Weeks) -> list[dict[str, float]]:
    """At most ten bins of equal size, each with at least ten forecasts: the mean forecast and how often YES came.

    `observed_pct` has a 95% interval by Wilson's formula for the number of independent markets. No bins with fewer than
    30 forecasts.
    """
    n = len(p)
    if n < LEAST_N:
        return []
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return [_bin(p[part], outcomes[part], weeks[part]) for part in parts]


def _bin(p: Array, outcomes: Array, weeks: Weeks) -> dict[str, float]:
    share = clustered_mean(outcomes, weeks, LEVELS)
    low, high = share.share_interval()
    shares = {"observed_pct": 100 * share.mean, "low_pct": 100 * low, "high_pct": 100 * high}
    return {"p": float(p.mean()), **shares, "n": len(p)}


def earned_weight(p: Array, others: Array, outcomes: Array, weeks: Weeks) -> float:
    """The weight, within 0.25 to 3, that a voter would earn beside `others`, shape (n, voters), whose weights are 1.

    By the rule of the service, see `service.scores.proper`.
    """
    moves = np.array([True, *[False] * others.shape[1]])
    weights, _ = aggregate(moves, np.column_stack([p, others]), outcomes, weeks)
    return float(weights[0])
