"""How far luck alone would bring a forecaster whose probabilities are right, and the best of many without skill."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from math import nan

import numpy as np
from numpy.typing import NDArray

from service.scores.intervals import LEVELS, clustered_mean
from service.scores.proper import Array, Instants

RECORDS = 500  # simulated for each forecaster
# The correlation of the causes of two answers of one week: with it, right answers at the usual 79% correlate as LEVELS
# says. Runs of lived markets are longer than under SIDES, the prior of their mean. It is never stronger than STRONGEST.
CAUSE, STRONGEST = 0.035, 0.95
UNKNOWN = np.array([[nan], [nan]])


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


class SimulatedRecords:
    """The records of one forecaster whose probabilities are right, simulated as far as they are known.

    A new forecast goes on where the last one ended, so a job process that keeps them simulates only what is new; the
    same seed and forecasts give the same records, whether they came at once or one by one. How much answers depend on
    each other is measured again, and everything simulated anew, where a week begins.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._correlation, self._forecasts = nan, UNKNOWN

    def _begin(self, correlation: float, freedom: int) -> None:
        self._correlation, self._generator = correlation, np.random.default_rng(self._seed)
        of_week = np.minimum(correlation * freedom / self._generator.chisquare(freedom, RECORDS), STRONGEST)
        self._of_week, self._own_loading = np.sqrt(of_week), np.sqrt(1 - of_week)
        self._forecasts, self._week, self._factor = np.zeros((2, 0)), 0, np.zeros(RECORDS)
        self._run, self._longest, self._right = (np.zeros(RECORDS, dtype=np.int32) for _ in range(3))

    def luck(self, p: Array, right: Array, weeks: Instants, best: int, among: int = 1) -> Luck | None:
        """The luck behind a longest run of `best` right sides; None without a forecast.

        `p` (n,) is P(YES), `right` (n,) whether the likelier side came true as 1 or 0, `weeks` (n,) the weeks of
        resolution, all in order of resolution; `among` is the number of forecasters in the table. Each side comes true
        with its own probability. Those of one week have a common cause, and that of a week is correlated with the week
        before: a Gaussian copula whose factor is an autoregressive process of order 1.
        """
        if not len(p):
            return None
        from scipy.special import ndtri  # the quantiles of the standard normal distribution

        likelier = np.maximum(p, 1 - p)
        correlation, freedom = common_cause(likelier, right, weeks)
        forecasts, count = np.array([p, weeks]), self._forecasts.shape[1]
        if correlation != self._correlation or not np.array_equal(self._forecasts, forecasts[:, :count]):
            self._begin(correlation, freedom)
            count = 0
        self._forecasts = UNKNOWN  # until all are simulated: a job that is interrupted here begins anew
        for threshold, week in zip(ndtri(likelier[count:]).tolist(), weeks[count:].tolist(), strict=True):
            self._simulate(threshold, week)
        self._forecasts = forecasts
        return Luck(
            expected_best=round(float(self._longest.mean()), 1),
            best_reached_pct=_reached_pct(self._longest >= best, among),
            accuracy_reached_pct=_reached_pct(self._right >= right.sum(), among),
            among=among,
        )

    def _simulate(self, threshold: float, week: int) -> None:
        """One more forecast, right in each record where a standard normal value is below the threshold."""
        if week != self._week:
            memory = LEVELS.memory ** abs(week - self._week)
            self._factor = memory * self._factor + np.sqrt(1 - memory**2) * self._generator.standard_normal(RECORDS)
            self._week = week
        noise = self._generator.standard_normal(RECORDS, dtype=np.float32)
        is_right = self._of_week * self._factor + self._own_loading * noise < threshold
        self._run += 1
        self._run *= is_right
        self._right += is_right
        np.maximum(self._longest, self._run, out=self._longest)


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


# By what names a forecaster: the table, the voter, the engine, the book.
RecordsByName = defaultdict[tuple[object, ...], SimulatedRecords]


def simulated_records(seed: int) -> RecordsByName:
    """No records yet; those of every name are simulated from the same seed."""
    return defaultdict(lambda: SimulatedRecords(seed))


DRAWS, SEED = 5_000, 20_260_401
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
