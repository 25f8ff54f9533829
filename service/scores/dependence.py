"""How much values that resolve near each other in time depend on each other, before and after it is measured.

Markets of one week share the same moves of prices, so their scores come out alike, and weeks that follow each other
share a regime of volatility. The variance of a mean is then the design effect (Kish 1965) times that of independent
values. A few weeks cannot measure it, so a prior is updated by them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    """The calendar week of each unix second, from Monday 00:00 UTC.

    >>> weeks_of(np.array([1_763_942_399, 1_763_942_400])).tolist()
    [2915, 2916]
    """
    return (np.asarray(times, dtype=np.int64) - FIRST_MONDAY) // WEEK_S
