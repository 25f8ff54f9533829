"""Whether one of two forecasters was better on the same markets.

Markets that resolve in the same calendar week are correlated, so the interval is clustered by week and the permutation
test flips whole weeks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.scores.dependence import DIFFERENCES
from service.scores.intervals import (
    LEAST_N,
    ClusteredMean,
    clustered_mean,
    needed_to_see,
    published,
    sign_flip_p,
)
from service.scores.proper import Array, Instants

Verdict = Literal["not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better"]

SIGNIFICANT = 0.05
GAPS = (0.05, 0.02)  # gaps of Brier scores for which `needed_for` is published
# Standard deviation of a difference and design effect of weeks, measured on markets of this service; assumed until a
# book has its own.
USUAL_DEVIATION, USUAL_DESIGN_EFFECT, LEAST_WEEKS = 0.1205, 1.5, 8


@dataclass(frozen=True)
class Difference:
    """The pool's mean Brier score minus the market's: negative where the pool was better.

    `low` and `high` are the 95% interval by Student's t, clustered by the `weeks` in which the `n` markets resolved,
    which are worth `n_eff` independent ones. `p_value` is that of a permutation test that flips whole weeks.
    """

    mean: float
    low: float
    high: float
    p_value: float
    n: int
    n_eff: float
    weeks: int


@dataclass(frozen=True)
class Power:
    """The number of resolved markets that show a gap of Brier scores: two-sided at 5%, power 80%, at least 30.

    `needed` is for a gap of the present size, null where there is none; `needed_for` for gaps of 0.05 and 0.02. Both
    follow from the standard `deviation` of a difference and from the `design_effect` of weeks: n markets are worth n /
    design effect independent ones. The deviation is assumed with fewer than 30 resolved markets, the design effect with
    those of fewer than eight weeks.
    """

    needed: int | None
    needed_for: dict[str, int]
    deviation: float
    deviation_assumed: bool
    design_effect: float
    design_effect_assumed: bool


def power_of(difference: ClusteredMean) -> Power:
    """The numbers of markets that would show a gap, from a mean difference over any number of markets."""
    varies = difference.deviation > 0
    has_deviation = difference.n >= LEAST_N and varies
    has_effect = difference.clusters >= LEAST_WEEKS and varies
    deviation = difference.deviation if has_deviation else USUAL_DEVIATION
    effect = difference.design_effect if has_effect else USUAL_DESIGN_EFFECT
    gap = published(difference.mean, 5)
    return Power(
        needed=needed_to_see(gap, deviation, effect) if gap else None,
        needed_for={str(size): needed_to_see(size, deviation, effect) for size in GAPS},
        deviation=round(deviation, 5),
        deviation_assumed=not has_deviation,
        design_effect=round(effect, 3),
        design_effect_assumed=not has_effect,
    )


def compare(differences: Array, weeks: Instants, generator: np.random.Generator) -> Difference | None:
    """The mean difference with its interval; None before markets have resolved in two calendar weeks.

    Parameters
    ----------
    differences, weeks : ndarray of shape (n,)
        Of the Brier scores of each market, and the calendar week of its resolution.
    generator : np.random.Generator
        Draws the permutations.
    """
    mean = clustered_mean(differences, weeks, DIFFERENCES)
    if mean.clusters < 2:
        return None
    low, high = mean.interval()
    return Difference(
        mean=round(mean.mean, 5),
        low=round(low, 5),
        high=round(high, 5),
        p_value=round(sign_flip_p(differences, weeks, generator), 4),
        n=mean.n,
        n_eff=round(mean.n_eff, 1),
        weeks=mean.clusters,
    )


def verdict_on(n: int, difference: Difference | None) -> Verdict:
    """The verdict; a forecaster is better only if the interval and the permutation test agree."""
    if n < LEAST_N:
        return "not enough resolved markets"
    if difference is None or difference.p_value >= SIGNIFICANT or difference.low <= 0 <= difference.high:
        return "no clear difference yet"
    return "the AI is better" if difference.mean < 0 else "the market is better"
