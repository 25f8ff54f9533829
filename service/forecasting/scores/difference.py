"""Whether one of two forecasters was better on the same markets, and how many it takes to see that.

Markets that resolve in one calendar week may share their fate, so whole weeks are drawn and flipped, never single
markets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from service.forecasting.scoring import Array, Instants, cluster_bootstrap_interval, sign_flip_p, weeks_of

Verdict = Literal["not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better"]

LEAST_N = 30  # resolved markets before anything is said of a difference
SIGNIFICANT = 0.05
USUAL_DEVIATION = 0.1205  # of a difference: 46 markets show a gap of .05, 285 one of .02 (design page `oracle`, 6)


@dataclass(frozen=True)
class Difference:
    """The pool's mean Brier score less the market's, below 0 where the pool was better.

    `low` and `high` are the 95 % interval and `p_value` what chance alone gives, both over the `weeks` in which the
    `n` markets resolved.
    """

    mean: float
    low: float
    high: float
    p_value: float
    n: int
    weeks: int


def deviation_of(differences: Array) -> tuple[float, bool]:
    """The standard deviation of a difference of Brier scores, and whether it is the assumed one."""
    observed = float(np.std(differences, ddof=1)) if len(differences) >= LEAST_N else 0.0
    return (observed, False) if observed > 0 else (USUAL_DEVIATION, True)


def compare(differences: Array, resolved: Instants, generator: np.random.Generator) -> Difference | None:
    """What differences of Brier scores amount to; None before markets have resolved in two calendar weeks."""
    weeks = weeks_of(resolved)
    count = len(np.unique(weeks))
    if count < 2:
        return None
    low, high = cluster_bootstrap_interval(differences, weeks, generator)
    return Difference(
        mean=round(float(differences.mean()), 5),
        low=round(low, 5),
        high=round(high, 5),
        p_value=round(sign_flip_p(differences, weeks, generator), 4),
        n=len(differences),
        weeks=count,
    )


def verdict_on(n: int, difference: Difference | None) -> Verdict:
    """In words; one of the two is better only where the interval and the permutation agree."""
    if n < LEAST_N:
        return "not enough resolved markets"
    if difference is None or difference.p_value >= SIGNIFICANT or difference.low <= 0 <= difference.high:
        return "no clear difference yet"
    return "the AI is better" if difference.mean < 0 else "the market is better"
