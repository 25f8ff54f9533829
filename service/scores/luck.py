"""How far luck alone would bring a forecaster whose probabilities are right, and the best of many without skill."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from service.scores.intervals import LEVELS, clustered_mean
from service.scores.proper import Array, Instants

RECORDS = 500  # simulated for each forecaster
# The correlation of the causes of two answers of one week: with it, right answers at the usual 79% correlate as LEVELS
# says. Runs of lived markets are longer than under SIDES, the prior of their mean. It is never stronger than STRONGEST.
CAUSE, STRONGEST = 0.035, 0.95
SEED = 20_260_401


@dataclass(frozen=True)
class Luck:
    """What 500 simulated records of the same forecasts show, if every probability is right.

    `expected_best` is the mean longest run of right answers. Of `among` such forecasters the luckiest has a run as long
    as the observed one in `best_reached_pct` of cases, and as many right answers in `accuracy_reached_pct`: whoever
    reads a table looks at its best row. Answers of one week depend on each other there, as usual and, with every week
    more, as they did.
    """

    expected_best: float
    best_reached_pct: float
    accuracy_reached_pct: float
    among: int = 1


def luck_of(p: Array, right: Array, weeks: Instants, best: int, among: int = 1) -> Luck | None:
    """The luck behind a longest run of `best` right sides; None without a forecast.

    `p` (n,) is P(YES), `right` (n,) whether the likelier side came true as 1 or 0, `weeks` (n,) the weeks of
    resolution, all in order of resolution; `among` is the number of forecasters in the table. Each side comes true
    with its own probability. Those of one week have a common cause, and that of a week is correlated with the week
    before: a Gaussian copula whose factor is an autoregressive process of order 1. The seed is fixed, so the same
    forecasts have the same luck.
    """
    if not len(p):
        return None
    from scipy.special import ndtri  # the quantiles of the standard normal distribution

    likelier, generator = np.maximum(p, 1 - p), np.random.default_rng(SEED)
    correlation, freedom = common_cause(likelier, right, weeks)
    of_week = np.minimum(correlation * freedom / generator.chisquare(freedom, RECORDS), STRONGEST)
    thresholds, week_before, factor = ndtri(likelier), 0, np.zeros(RECORDS)
    run, longest, right_counts = np.zeros((3, RECORDS), dtype=np.int32)
    for week in np.unique(weeks).tolist():
        if week != week_before:
            memory, week_before = LEVELS.memory ** abs(week - week_before), week
            factor = memory * factor + np.sqrt(1 - memory**2) * generator.standard_normal(RECORDS)
        of_this_week = thresholds[weeks == week, None]
        noise = generator.standard_normal((len(of_this_week), RECORDS), dtype=np.float32)
        for is_right in np.sqrt(of_week) * factor + np.sqrt(1 - of_week) * noise < of_this_week:
            run = (run + 1) * is_right
            longest = np.maximum(longest, run)
            right_counts += is_right
    return Luck(
        expected_best=round(float(longest.mean()), 1),
        best_reached_pct=_reached_pct(longest >= best, among),
        accuracy_reached_pct=_reached_pct(right_counts >= right.sum(), among),
        among=among,
    )


def _reached_pct(is_reached: NDArray[np.bool_], among: int) -> float:
    """How often one of so many records is as good, in percent; the observed one counts (Phipson and Smyth 2010)."""
    share = (1 + int(is_reached.sum())) / (1 + RECORDS)
    return round(100 * (1 - (1 - share) ** among), 1)


def common_cause(likelier: Array, right: Array, weeks: Instants) -> tuple[float, int]:
    """The correlation of the causes of two answers of one week, from 0 on, and its degrees of freedom.

    It is CAUSE times the design effect's excess over 1 beside the expected one, both of the right answers before the
    last week: their number varies as much as it did. The arrays have the shape (n,).
    """
    before = weeks < weeks[-1] if weeks[0] < weeks[-1] else np.ones(len(weeks), dtype=bool)
    residuals = clustered_mean((right - likelier)[before], weeks[before], LEVELS)
    _, expected = LEVELS.effects(np.bincount(weeks[before] - weeks[0]).astype(float))
    excess = (residuals.design_effect - 1) / (expected - 1) if expected > 1 else 1.0
    return CAUSE * excess, residuals.freedom


DRAWS = 5_000
NOISE = 1e-12  # a smaller standard deviation is a rounding error
MOST_TRIALS = 1_000_000


def luckiest_of(returns: NDArray[np.float64]) -> float:
    """The expected best of as many forecasters or strategies without skill, in standard errors of their means.

    It is the mean of the greatest of standard normal values with the correlations of `returns` (strategies, periods),
    simulated from a fixed seed: standardised returns times independent normal values correlate as they do. Strategies
    whose returns are constant do not count; 0 with fewer than two periods.
    """
    if returns.ndim < 2 or returns.shape[1] < 2:
        return 0.0
    returns = returns[returns.std(axis=1) >= NOISE]
    if len(returns) < 2:
        return 0.0
    deviations = returns - returns.mean(axis=1, keepdims=True)
    factors = deviations / np.sqrt(np.square(deviations).sum(axis=1, keepdims=True))
    return max(0.0, float((factors @ _draws(returns.shape[1])).max(axis=0).mean()))


@lru_cache(maxsize=1)  # windows of the same length have the same draws
def _draws(periods: int) -> Array:
    return np.random.default_rng(SEED).standard_normal((periods, DRAWS))


def independent_trials(best: float) -> float:
    """The number of independent trials, 1 to 1,000,000, whose expected best is `best` standard errors."""
    trials, bests = _expected_bests()
    return float(np.exp(np.interp(best, bests, np.log(trials))))


def luckiest(trials: float) -> float:
    """The expected best of so many independent trials, 1 to 1,000,000, in standard errors.

    The best is more than 1.96 above it in at most 2.5% of cases: it exceeds its median by that no more often than a
    single normal value (Borell 1975), and its mean is not below its median.
    """
    numbers, bests = _expected_bests()
    return float(np.interp(np.log(trials), np.log(numbers), bests))


@lru_cache
def _expected_bests() -> tuple[Array, Array]:
    """Numbers of trials, and the expected greatest of so many standard normal values, shape (n,) each.

    The integral of 1 - F(x)^N over x above 0, less that of F(x)^N below it.
    """
    from scipy.special import ndtr

    trials, x = np.geomspace(1, MOST_TRIALS, 400), np.arange(-8, 8, 0.01) + 0.005
    below = ndtr(x) ** trials[:, None]
    return trials, 0.01 * np.where(x > 0, 1 - below, -below).sum(axis=1)
