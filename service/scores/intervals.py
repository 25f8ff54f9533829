"""Means of dependent values with their 95% intervals, tests of a mean of 0, and the power to see a gap.

Markets of one week share the same moves of prices, so their scores come out alike, and weeks that follow each other
share a regime of volatility. The variance of a mean is then the design effect (Kish 1965) times that of independent
values. A few weeks cannot measure it, so a prior is updated by them. A mean of no values is NaN and must not be
published.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from service.scores.proper import Array, Instants

PRIOR_WEEKS = 20  # clusters that a prior is worth
WEEK_S = 7 * 86_400
FIRST_MONDAY = 4 * 86_400  # unix time began on a Thursday
LONGEST_MEMORY = 40  # weeks beyond which a correlation is 0


@dataclass(frozen=True)
class Dependence:
    """The prior of one kind of score: two values of one week correlate by `correlation`.

    Those of weeks that are k apart correlate by `correlation` times `memory` to the power of k.
    """

    correlation: float
    memory: float = 0.0

    def effects(self, sizes: Array) -> tuple[float, float]:
        """The design effect within clusters, and that of the mean over all of them.

        `sizes` (c,) are the numbers of values of consecutive clusters; some may be 0.
        """
        n, within = float(sizes.sum()), float(sizes @ sizes)
        between = 2 * sum(
            self.memory**lag * float(sizes[:-lag] @ sizes[lag:])
            for lag in range(1, min(len(sizes), LONGEST_MEMORY) if self.memory else 1)
        )
        return 1 + self.correlation * (within / n - 1), 1 + self.correlation * ((within + between) / n - 1)


# Measured on 7,487 markets of the service over 64 weeks (`tests/measure/interval_coverage.py`), in design effects of
# weeks in which 117 markets or 42 calls resolve: 3, that of sides 2.1, of differences 1.5.
LEVELS = Dependence(2 / 116, memory=0.6)  # of outcomes and scores
SIDES = Dependence(1.1 / 116, memory=0.5)  # whether the likelier side came true
SKILL = Dependence(2 / 116)  # against the base rate
DIFFERENCES = Dependence(0.5 / 116)  # of scores of two forecasters of the same markets, and of the results of bets
# Of differences from the pool, where a stranger chooses the forecasts: all on one direction of prices show twice that.
CHOSEN = Dependence(4 / 116)
CALLS = Dependence(2 / 41)  # of daily calls on one asset every four hours
DISAGREEMENT = Dependence(0.05, memory=0.6)  # among voters


def design_effect(prior: Dependence, sizes: Array, variance_ratio: float | None) -> float:
    """The design effect of a mean, from 1 to n.

    The prior gives all covariances up to a factor, whose distribution is a scaled inverse chi-squared one with mean 1
    and PRIOR_WEEKS degrees of freedom; `variance_ratio` updates it with one degree less than there are clusters (Gelman
    et al. 2013, section 2.6). That ratio is the variance between clusters over that of independent values, None with
    one cluster and where all values are equal. The prior expects of it the effect within clusters, less the part of the
    mean's variance that deviations from the mean itself do not show. `sizes` (c,) are the numbers of values of
    consecutive clusters; some may be 0.
    """
    n, clusters = float(sizes.sum()), int(np.count_nonzero(sizes))
    within, total = prior.effects(sizes)
    if variance_ratio is not None:
        expected = (clusters * within - total) / (clusters - 1)
        freedom = clusters - 1
        total *= (PRIOR_WEEKS + freedom * variance_ratio / expected) / (PRIOR_WEEKS + freedom)
    return min(max(1.0, total), n)


def weeks_of(times: Instants) -> Instants:
    """The calendar week of each unix second, from Monday 00:00 UTC."""
    return (np.asarray(times, dtype=np.int64) - FIRST_MONDAY) // WEEK_S


LEAST_N = 30  # values below which neither a spread nor a verdict is published
LEAST_WORTH = 1.5  # independent values below which a mean has no interval
POWER_QUANTILES = 1.959964 + 0.841621  # of a two-sided test at 5% with a power of 80%


def wilson_interval(successes: float, n: float, z: float = 1.959964) -> tuple[float, float]:
    """The interval of a proportion (Wilson 1927), 95% by default; [0, 1] when n is 0. `n` may be effective."""
    if n <= 0:
        return 0.0, 1.0
    share, weight = successes / n, z**2 / n
    center = (share + weight / 2) / (1 + weight)
    half = z * sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, center - half), min(1.0, center + half)


@dataclass(frozen=True)
class ClusteredMean:
    """The mean of `n` values that depend on each other within `clusters` clusters, such as weeks.

    `deviation` is the standard deviation of a value, `design_effect` the variance of the mean over that of the mean of
    as many independent values. NaN without values. Where the mean is one of many, of which the best is looked at, an
    interval reaches `luckiest` standard errors further: as far as luck alone brings the best (`luck.luckiest`).
    """

    mean: float
    deviation: float
    n: int
    clusters: int
    design_effect: float
    luckiest: float = 0.0

    @property
    def n_eff(self) -> float:
        """The number of independent values that the `n` are worth."""
        return self.n / self.design_effect

    @property
    def freedom(self) -> int:
        """The degrees of freedom with which the dependence is known."""
        return PRIOR_WEEKS + max(self.clusters, 1) - 1

    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean, from Student's t; NaN if the values are worth less than 1.5 independent ones.

        Values that depend on each other spread less than independent ones: their variance is divided by n_eff - 1, of
        which the interval cannot have more degrees of freedom.
        """
        half, rest = nan, self.n_eff - 1
        if self.n_eff >= LEAST_WORTH:
            errors = t_quantile(min(self.freedom, rest)) + self.luckiest
            half = errors * self.deviation * sqrt((self.n - 1) / self.n / rest)
        return self.mean - half, self.mean + half

    def share_interval(self) -> tuple[float, float]:
        """The 95% interval of the mean of values 0 and 1, by Wilson's formula; NaN without values."""
        if not self.n:
            return nan, nan
        return wilson_interval(self.mean * self.n_eff, self.n_eff, t_quantile(self.freedom) + self.luckiest)

    def fields(self, name: str, digits: int, within: tuple[float, float] = (-inf, inf)) -> dict[str, float | None]:
        """The mean and its interval as the fields `name`, `name_low` and `name_high` of a document.

        `within` are the least and the greatest possible value: an interval of few values can pass them.
        """
        values = (self.mean, *np.clip(self.interval(), *within))
        return {
            f"{name}{end}": published(value, digits) for end, value in zip(("", "_low", "_high"), values, strict=True)
        }


def t_quantile(freedom: float) -> float:
    """The 97.5% quantile of Student's t with so many degrees of freedom, more than 0."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def clustered_mean(
    values: Array, clusters: NDArray[np.int64], prior: Dependence, luckiest: float = 0.0
) -> ClusteredMean:
    """The mean of `values` (n,), with the dependence within `clusters` (n,), such as numbers of weeks.

    The variance between clusters is c / (c - 1) times the sum of the squared sums of deviations in each of c clusters,
    over n^2 (Cochran 1977, section 9A.1). It updates the `prior` of this kind of value.
    """
    n = len(values)
    if n < 2:
        return ClusteredMean(float(np.mean(values)) if n else nan, nan, n, n, 1.0, luckiest)
    mean, deviation = float(np.mean(values)), float(np.std(values, ddof=1))
    numbers = clusters - clusters.min()
    sizes, sums = np.bincount(numbers).astype(float), np.bincount(numbers, values - mean)
    count, variance_ratio = int(np.count_nonzero(sizes)), None
    if count > 1 and deviation > 0:
        variance_ratio = count / (count - 1) * float(sums @ sums) / n / deviation**2
    return ClusteredMean(mean, deviation, n, count, design_effect(prior, sizes, variance_ratio), luckiest)


def sign_flip_p(values: Array, clusters: NDArray[np.int64], generator: np.random.Generator, flips: int = 4999) -> float:
    """The two-sided p-value of a mean of 0, by flipping the signs of whole clusters, such as numbers of weeks.

    It counts `flips` random sign changes and the observed signs (Phipson and Smyth 2010): never under
    1 / (flips + 1), and with c clusters not under about 2 / 2**c. NaN without a value.
    """
    if not len(values):
        return nan
    numbers = clusters - clusters.min()
    sums = np.bincount(numbers, values)[np.bincount(numbers) > 0]
    signs = 2.0 * generator.integers(0, 2, (flips, len(sums))) - 1
    nearly = abs(sums.sum()) * (1 - 1e-9)  # a sum in another order may differ in its last digits
    return float((1 + np.count_nonzero(np.abs(signs @ sums) >= nearly)) / (flips + 1))


def needed_to_see(gap: float, deviation: float, design_effect: float) -> int:
    """The number of differences of standard deviation `deviation` that detect a mean of `gap`, at least 30.

    Two-sided at 5% with a power of 80%, by the normal approximation (Cohen 1988), times the `design_effect` of
    differences that depend on each other. `gap` is not 0.
    """
    return max(LEAST_N, ceil((POWER_QUANTILES * deviation / gap) ** 2 * design_effect))


def published(value: float, digits: int) -> float | None:
    """A number as a document shows it: rounded, None where it is not finite."""
    return round(float(value), digits) if isfinite(value) else None


DIGITS = 4  # of percentages, and of the P(YES) that decides whether a forecast has a side


@dataclass(frozen=True)
class RightShare:
    """The share of right sides among `n` forecasts other than 50%, worth `n_eff` independent ones.

    Percentages and their 95% interval, clustered by week; null where there is no forecast.
    `likelier_side_pct` is the share that the side which such questions took more often before would have reached on the
    same questions (one half where neither was likelier), `always_no_pct` that of NO every time.
    """

    n: int
    n_eff: float
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None

    def percentages(self) -> dict[str, float | None]:
        """The fields that every document with an accuracy has."""
        return {name: value for name, value in vars(self).items() if name.endswith("_pct")}


def right_share(
    p: Array, rate: Array, outcomes: Array, weeks: Instants, prior: Dependence, luckiest: float = 0.0
) -> RightShare:
    """The share of right sides; `prior` is the dependence of such questions, `luckiest` as of `ClusteredMean`.

    The arrays have shape (n,): P(YES), how often such a question had come out YES before (`rate`), the outcomes as 1 or
    0, and the weeks of resolution.
    """
    has_side = np.round(p, DIGITS) != 0.5
    p, rate, outcomes, weeks = p[has_side], rate[has_side], outcomes[has_side], weeks[has_side]
    share = clustered_mean(sides_right(p, outcomes), weeks, prior, luckiest)
    low, high = share.share_interval()
    return RightShare(
        n=share.n,
        n_eff=round(share.n_eff, 1),
        accuracy_pct=_percent(share.mean),
        accuracy_low_pct=_percent(low),
        accuracy_high_pct=_percent(high),
        likelier_side_pct=_percent(mean(sides_right(rate, outcomes))),
        always_no_pct=_percent(mean(1 - outcomes)),
    )


def sides_right(p: Array, outcomes: Array) -> Array:
    """1 where the likelier side of `p` came true, 0 where it did not, one half where p is 0.5; shape (n,)."""
    return np.where(p == 0.5, 0.5, (p > 0.5) == (outcomes == 1)).astype(float)


def mean(values: Array) -> float:
    """The mean; NaN without values."""
    return float(values.mean()) if len(values) else nan


def _percent(share: float) -> float | None:
    return published(100 * share, DIGITS)
