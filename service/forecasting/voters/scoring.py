"""The quality of forecasts: proper scores, calibration and confidence intervals.

`p` is P(YES) and `happened` 1 or 0 throughout, both of shape (n,); a mean of no values is NaN and must not be
published.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from service.market.instants import DAY

Array = NDArray[np.float64]
Instants = NDArray[np.int64]

CLIP = 0.01
FIRST_MONDAY = 4 * DAY  # unix time began on a Thursday
LEAST_N = 30  # values below which neither a spread nor a verdict is published
PRIOR_COUNT = 15  # of YES and of NO in a base rate
LEAST_CLUSTERS = 8  # with fewer, the variance between clusters is itself more than half uncertain
POWER_QUANTILES = 1.959964 + 0.841621  # of a two-sided test at 5% with a power of 80%


def brier(p: Array, happened: Array) -> Array:
    """Squared error of each forecast (Brier 1950): 0 is perfect, 0.25 the score of 50%, 1 the worst.

    >>> brier(np.array([0.8, 0.5]), np.array([1.0, 0.0])).round(2).tolist()
    [0.04, 0.25]
    """
    return np.square(np.asarray(p) - np.asarray(happened))


def log_score(p: Array, happened: Array) -> Array:
    """Minus the log of the probability of the outcome (Good 1952), probabilities clipped to [.01, .99].

    >>> log_score(np.array([0.8, 0.0]), np.array([1.0, 1.0])).round(4).tolist()
    [0.2231, 4.6052]
    """
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return -np.log(np.where(np.asarray(happened) == 1, clipped, 1 - clipped))


def skill_terms(p: Array, reference: Array, happened: Array) -> Array:
    """Terms (n,) whose mean is the skill 1 - Brier / Brier of a reference, and whose spread is its uncertainty.

    Skill 1 is perfect, 0 no better than the reference, negative worse. A ratio of means is linearised at the means
    (delta method): skill + ((1 - skill) reference score - score) / mean reference score. NaN where the reference makes
    no error.

    >>> skill_terms(np.array([0.8, 0.2]), np.array([0.5, 0.5]), np.array([1.0, 0.0])).round(2).tolist()
    [0.84, 0.84]
    """
    score, error = brier(p, happened), brier(reference, happened)
    if not error.sum() > 0:
        return np.full(len(score), np.nan)
    ratio = score.sum() / error.sum()
    return 1 - ratio + (ratio * error - score) / error.mean()


def base_rate_known(happened: Array, asked_at: Instants, resolved_at: Instants) -> Array:
    """The share of YES among the questions that had resolved when each was asked, plus 15 YES and 15 NO.

    Questions of one week come out alike, so the share of a few says little: with one of each (Laplace) instead, the
    rates of ten weeks of markets scored worse than a coin (Brier 0.260; 0.249 with 15).

    `asked_at` and `resolved_at` are unix seconds, `resolved_at` in rising order.

    >>> base_rate_known(np.array([1.0, 1.0]), np.array([10, 15]), np.array([20, 30])).tolist()
    [0.5, 0.5]
    """
    n = np.searchsorted(resolved_at, asked_at, side="right")
    yes = np.concatenate([[0.0], np.cumsum(happened)])
    return (yes[n] + PRIOR_COUNT) / (n + 2 * PRIOR_COUNT)


@dataclass(frozen=True)
class Reliability:
    """The decomposition brier = miscalibration - discrimination + uncertainty.

    `p` are the forecasts in rising order and `observed` the frequency of YES at each, by isotonic regression.
    """

    p: Array
    observed: Array
    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def reliability(p: Array, happened: Array) -> Reliability:
    """The CORP reliability diagram of at least one forecast (Dimitriadis, Gneiting and Jordan 2021)."""
    from scipy.optimize import isotonic_regression

    order = np.lexsort((-np.asarray(happened), p))
    p, happened = np.asarray(p, dtype=float)[order], np.asarray(happened, dtype=float)[order]
    _, places, counts = np.unique(p, return_inverse=True, return_counts=True)
    of_same_p = np.bincount(places, happened) / counts
    observed = isotonic_regression(of_same_p, weights=counts.astype(float)).x[places]
    rate = np.full(len(p), happened.mean())
    score, recalibrated, uninformed = (float(brier(each, happened).mean()) for each in (p, observed, rate))
    return Reliability(p, observed, score, score - recalibrated, uninformed - recalibrated, uninformed)


def wilson_interval(successes: float, n: float, z: float = 1.959964) -> tuple[float, float]:
    """The interval of a proportion (Wilson 1927), 95% by default; [0, 1] when n is 0. `n` may be effective.

    >>> tuple(round(bound, 4) for bound in wilson_interval(8, 10))
    (0.4902, 0.9433)
    """
    if n <= 0:
        return 0.0, 1.0
    share, weight = successes / n, z**2 / n
    center = (share + weight / 2) / (1 + weight)
    half = z * sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, center - half), min(1.0, center + half)


@dataclass(frozen=True)
class ClusteredMean:
    """The mean of `n` values that depend on each other within `clusters` clusters, such as weeks.

    `deviation` is the standard deviation of a value. `design_effect` is the variance of the mean over that of the mean
    of as many independent values (Kish 1965), at least 1. NaN without values.
    """

    mean: float
    deviation: float
    n: int
    clusters: int
    design_effect: float

    @property
    def n_eff(self) -> float:
        """The number of independent values that the `n` are worth."""
        return self.n / self.design_effect

    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean, from Student's t; NaN with fewer than two clusters."""
        half = t_quantile(self.clusters) * self.deviation / sqrt(self.n_eff) if self.clusters > 1 else float("nan")
        return self.mean - half, self.mean + half

    def share_interval(self) -> tuple[float, float]:
        """The 95% interval of the mean of values 0 and 1, by Wilson's formula.

        It is [0, 1] with one cluster, which leaves everything open, and NaN without values.
        """
        if self.clusters < 2:
            return (0.0, 1.0) if self.n else (float("nan"), float("nan"))
        return wilson_interval(self.mean * self.n_eff, self.n_eff, t_quantile(self.clusters))

    def fields(self, name: str, digits: int, within: tuple[float, float] = (-inf, inf)) -> dict[str, float | None]:
        """The mean and its interval as the fields `name`, `name_low` and `name_high` of a document.

        `within` are the least and the greatest possible value: an interval of few clusters can pass them.
        """
        values = (self.mean, *np.clip(self.interval(), *within))
        return {
            f"{name}{end}": published(value, digits) for end, value in zip(("", "_low", "_high"), values, strict=True)
        }


def t_quantile(clusters: int) -> float:
    """The 97.5% quantile of Student's t with one degree of freedom less than there are clusters; at least two."""
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, 0.975))


def clustered_mean(values: Array, clusters: NDArray[np.int64]) -> ClusteredMean:
    """The mean of `values` (n,) with the design effect that their `clusters` (n,), such as numbers of weeks, show.

    The variance between clusters is c / (c - 1) times the sum of the squared sums of deviations in each of c clusters,
    over n^2 (Cochran 1977, section 9A.1). With fewer than eight clusters, or equal values, it cannot be measured: then
    each cluster counts as one value.

    >>> round(clustered_mean(np.array([0.0, 0.0, 1.0, 1.0] * 4), np.repeat(np.arange(8), 2)).n_eff, 2)
    7.47
    """
    n = len(values)
    places, count = _places(clusters)
    if n < 2:
        return ClusteredMean(float(np.mean(values)) if n else float("nan"), float("nan"), n, count, 1.0)
    mean, deviation = float(np.mean(values)), float(np.std(values, ddof=1))
    if count < LEAST_CLUSTERS or not deviation > 0:
        return ClusteredMean(mean, deviation, n, count, n / count)
    sums = np.bincount(places, values - mean)
    variance = count / (count - 1) * float(sums @ sums) / n**2
    return ClusteredMean(mean, deviation, n, count, max(1.0, variance / (deviation**2 / n)))


def _places(clusters: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The place of each value's cluster in rising order, and their number: `np.unique` without its sorting."""
    if not len(clusters):
        return np.zeros(0, dtype=np.int64), 0
    numbers = clusters - clusters.min()
    is_present = np.bincount(numbers) > 0
    return (np.cumsum(is_present) - 1)[numbers], int(is_present.sum())


def sign_flip_p(values: Array, clusters: NDArray[np.int64], generator: np.random.Generator, flips: int = 4999) -> float:
    """The two-sided p-value of a mean of 0, by flipping the signs of whole clusters, such as numbers of weeks.

    It counts `flips` random sign changes and the observed signs (Phipson and Smyth 2010): never under
    1 / (flips + 1), and with c clusters not under about 2 / 2**c. NaN without a value.
    """
    if not len(values):
        return float("nan")
    places, _ = _places(clusters)
    sums = np.bincount(places, values)
    signs = 2.0 * generator.integers(0, 2, (flips, len(sums))) - 1
    nearly = abs(sums.sum()) * (1 - 1e-9)  # a sum in another order may differ in its last digits
    return float((1 + np.count_nonzero(np.abs(signs @ sums) >= nearly)) / (flips + 1))


def weeks_of(times: Instants) -> Instants:
    """The calendar week of each unix second, from Monday 00:00 UTC.

    >>> weeks_of(np.array([1_763_942_399, 1_763_942_400])).tolist()
    [2915, 2916]
    """
    return (np.asarray(times, dtype=np.int64) - FIRST_MONDAY) // (7 * DAY)


def needed_to_see(gap: float, deviation: float, design_effect: float) -> int:
    """The number of differences of standard deviation `deviation` that detect a mean of `gap`, at least 30.

    Two-sided at 5% with a power of 80%, by the normal approximation (Cohen 1988), times the `design_effect` of
    differences that depend on each other. `gap` is not 0.

    >>> needed_to_see(0.05, 0.1205, 1.0), needed_to_see(-0.02, 0.1205, 3.5), needed_to_see(0.5, 0.1205, 1.0)
    (46, 998, 30)
    """
    return max(LEAST_N, ceil((POWER_QUANTILES * deviation / gap) ** 2 * design_effect))


def published(value: float, digits: int) -> float | None:
    """A number as a document shows it: rounded, None where it is not finite."""
    return round(float(value), digits) if isfinite(value) else None
