"""The health score of a strategy: the mean of three measures of its last 90 days, each from 0 (worst) to 1.

What a strategy trades costs it for certain, what it won is mostly luck: of many strategies without skill the best has
an annual Sharpe ratio above 4 over 90 days. So the measures are its turnover, its Sharpe ratio drawn to that of its
class, and its drawdown against what chance alone would show. They weigh the same: no weight is fitted to results. What
score and measures were worth is how they ranked the strategies' results of the next month.

Returns and Sharpe ratios in this file are daily unless they are called annual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log1p, sqrt
from statistics import NormalDist, fmean
from typing import Literal, NamedTuple, get_args

import numpy as np

from service.documents import rounded
from service.market.bars import Prices
from service.market.months import month_before
from service.scores.intervals import t_quantile
from service.trading.accounts import TERMS
from service.trading.performance import DAYS_A_YEAR, max_drawdown

NORMAL = NormalDist()

MeasureName = Literal["turnover", "sharpe", "drawdown"]
MEASURES: tuple[MeasureName, ...] = get_args(MeasureName)
UNKNOWN = 0.5

DAYS_A_MONTH = 30
# What an account pays to enter and leave a position, as a fraction of it.
ROUND_TRIP = 2 * (TERMS.fee + TERMS.slippage)
# Paths of which the simulated drawdowns are those, and the seed of their generator.
PATHS, SEED = 4_000, 20_240_801
# A return or a standard deviation below this is a rounding error.
NOISE = 1e-12


class ReturnStatistics(NamedTuple):
    """Daily returns in four numbers: their number, Sharpe ratio, skewness, and kurtosis (3 is normal)."""

    days: int
    sharpe: float
    skewness: float
    kurtosis: float


@dataclass(frozen=True)
class Health:
    """The measures of one strategy, by name, each from 0 (worst) to 1.

    `shrunken_sharpe` is its annual Sharpe ratio drawn to that of its class. `beyond_luck`: probability that its Sharpe
    ratio is above that of the luckiest of as many strategies without skill. `deepest` is the maximum drawdown, a
    fraction.
    """

    measures: dict[MeasureName, float]
    shrunken_sharpe: float
    beyond_luck: float
    deepest: float

    @property
    def score(self) -> float:
        """The mean of the measures, 0 to 100."""
        return 100 * fmean(self.measures.values())


def examine(recent: Prices, trades_a_month: float, class_sharpe: float, luckiest: float) -> Health:
    """The health of a strategy by its last daily returns, `recent` (up to 90,); without any, every measure is 0.5.

    Each of its accounts closed `trades_a_month` in 30 of these days; `class_sharpe` is the mean Sharpe ratio of its
    class over them, `luckiest` the expected best of the strategies it was chosen from, if none had skill, in standard
    errors.
    """
    statistics = return_statistics(recent)
    deepest = max_drawdown(np.cumprod(1 + recent, dtype=np.float64), 1.0)
    shrunken, certainty = shrunken_sharpe(statistics, class_sharpe)
    return Health(
        measures={
            "turnover": left_of_costs(trades_a_month) if len(recent) else UNKNOWN,
            "sharpe": NORMAL.cdf(shrunken * certainty),
            "drawdown": share_of_deeper_paths(deepest, recent),
        },
        shrunken_sharpe=shrunken,
        beyond_luck=probability_above(statistics, luckiest / sqrt(max(statistics.days - 1, 1))),
        deepest=deepest,
    )


def left_of_costs(trades_a_month: float) -> float:
    """The fraction of an account that a year of fees and slippage leaves at this turnover."""
    return (1 - ROUND_TRIP) ** (12 * trades_a_month)


def shrunken_sharpe(statistics: ReturnStatistics, class_sharpe: float) -> tuple[float, float]:
    """The annual Sharpe ratio drawn to the mean `class_sharpe` of its class, and 1 over its standard deviation.

    The posterior of a normal prior: the true annual ratios of a class vary by 1 about its mean, which is a wide spread
    of skill, and a ratio measured over a fraction y of a year by 1 / sqrt(y). So a ratio of 90 days counts a fifth.
    """
    weight = statistics.days / (statistics.days + DAYS_A_YEAR)
    estimate = class_sharpe + weight * (statistics.sharpe - class_sharpe)
    return estimate * sqrt(DAYS_A_YEAR), 1 / sqrt(1 - weight)


def share_of_deeper_paths(deepest: float, recent: Prices) -> float:
    """The share of simulated strategies without skill whose maximum drawdown is larger than `deepest`, a fraction.

    They have as many days as `recent` (n,) and the same volatility. 0.5 with under two days or equal returns.
    """
    volatility = float(recent.std(ddof=1)) if len(recent) > 1 else 0.0
    if volatility < NOISE:
        return UNKNOWN
    fall = -log1p(-min(deepest, 1 - NOISE)) / volatility
    drawdowns = simulated_drawdowns(len(recent))
    return 1 - float(np.searchsorted(drawdowns, fall, side="right")) / len(drawdowns)


@lru_cache(maxsize=128)
def simulated_drawdowns(days: int) -> Prices:
    """The maximum drawdowns of PATHS normal random walks of unit steps over so many `days`, ascending."""
    steps = np.random.default_rng(SEED).standard_normal((PATHS, days))
    walks = np.concatenate([np.zeros((PATHS, 1)), steps.cumsum(axis=1)], axis=1)
    return np.sort((np.maximum.accumulate(walks, axis=1) - walks).max(axis=1))


def return_statistics(returns: Prices) -> ReturnStatistics:
    """The Sharpe ratio (ddof 1), skewness and kurtosis (of the population) of `returns` (n,).

    With fewer than two days or equal returns, the ratio is 0, the skewness 0 and the kurtosis 3.
    """
    if len(returns) < 2 or returns.std() < NOISE:
        return ReturnStatistics(len(returns), 0.0, 0.0, 3.0)
    deviations = returns - returns.mean()
    spread = deviations.std()
    return ReturnStatistics(
        days=len(returns),
        sharpe=float(returns.mean() / returns.std(ddof=1)),
        skewness=float((deviations**3).mean() / spread**3),
        kurtosis=float((deviations**4).mean() / spread**4),
    )


def probability_above(statistics: ReturnStatistics, benchmark: float) -> float:
    """The probability that the true Sharpe ratio is above `benchmark`; 0.5 with fewer than three days.

    With the expected best of many strategies without skill as benchmark it is the deflated Sharpe ratio: Bailey and
    Lopez de Prado (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5).
    The probabilistic Sharpe ratio: Phi((SR - benchmark) sqrt(n - 1) / sqrt(1 - skewness SR + (kurtosis - 1) / 4 SR^2)).
    Bailey and Lopez de Prado (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2).
    """
    days, ratio, skewness, kurtosis = statistics
    if days < 3:
        return 0.5
    spread = 1 - skewness * ratio + (kurtosis - 1) / 4 * ratio**2
    return NORMAL.cdf((ratio - benchmark) * sqrt(days - 1) / sqrt(max(spread, 1e-9)))


PROBATION = 6  # months after which a measure must have earned its place

WorthName = Literal["score", "turnover", "sharpe", "drawdown"]
WORTH_NAMES: tuple[WorthName, ...] = ("score", *MEASURES)


@dataclass(frozen=True)
class EarlierEntry:
    """A strategy in an earlier snapshot: its status and score, its measures, and the Sharpe ratio of that month.

    Snapshots of earlier versions have a score of another kind and no measures.
    """

    status: str | None
    health_score: float
    measures: Mapping[str, float] = field(default_factory=dict)
    month_sharpe: float | None = None


Months = Mapping[str, Mapping[str, EarlierEntry]]  # by month, then by the key of the strategy


@dataclass(frozen=True)
class MeasureWorth:
    """The mean rank correlation of a measure with the next month's Sharpe ratio, over `months` months.

    The 95% interval is that of the mean of the months, null with fewer than two. `earns_its_place` says whether the
    mean of the last six months is above 0; null before there are six.
    """

    measure: WorthName
    months: int
    correlation: float | None
    low: float | None
    high: float | None
    earns_its_place: bool | None


def worth_of(months: Months) -> tuple[MeasureWorth, ...]:
    """The worth of the score and of each measure in all `months` whose next month is there as well."""
    worth = []
    for name in WORTH_NAMES:
        values = correlations(months, name)
        mean, low, high = (rounded(value, 3) for value in _mean(values))
        earns_its_place = float(np.mean(values[-PROBATION:])) > 0 if len(values) >= PROBATION else None
        worth.append(MeasureWorth(name, len(values), mean, low, high, earns_its_place))
    return tuple(worth)


def correlations(months: Months, name: WorthName) -> list[float]:
    """The rank correlation of a measure with the next month's Sharpe ratio, month by month, oldest first.

    A month with fewer than three strategies has none, and one in which all are equal.
    """
    values = []
    for month in sorted(months):
        pairs = [
            (entry.health_score if name == "score" else entry.measures[name], result)
            for key, entry in months.get(month_before(month), {}).items()
            if entry.measures and key in months[month] and (result := months[month][key].month_sharpe) is not None
        ]
        value = rank_correlation(*zip(*pairs, strict=True)) if len(pairs) > 2 else None
        if value is not None:
            values.append(value)
    return values


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation (1904) of two columns; ties have their mean rank. None when one is constant."""
    from scipy.stats import rankdata

    ranks = np.array([rankdata(first), rankdata(second)])
    if not np.ptp(ranks, axis=1).all():
        return None
    return float(np.corrcoef(ranks)[0, 1])


def _mean(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """The mean of independent `values` and the ends of its 95% interval, from Student's t."""
    if not values:
        return None, None, None
    n, mean = len(values), float(np.mean(values))
    if n == 1:
        return mean, None, None
    half = float(t_quantile(n - 1) * np.std(values, ddof=1) / sqrt(n))
    return mean, mean - half, mean + half
