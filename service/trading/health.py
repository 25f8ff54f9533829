"""How healthy a strategy is: six measures of its last 90 days, their sum, and how far there is reason to trust it.

Luck is the main effect: of 54 strategies with no skill the best shows an annual Sharpe ratio above 4 over 90 days.
So a ratio counts by how sure it is and by how many were tried, and a short record is drawn towards 50.
Returns are those of days, a Sharpe ratio here is that of a day. engine.md, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Prices
from service.trading.performance import max_drawdown, profit_factor

NORMAL = NormalDist()
EULER = 0.5772156649015329

# What each measure weighs in the raw score.
WEIGHTS = {"edge": 0.30, "beyond_luck": 0.15, "drawdown": 0.25, "wins": 0.10, "profits": 0.10, "decay": 0.10}
NEUTRAL = 50.0

WORST_DRAWDOWN = 0.25
# Profit factors from which and up to which the measure rises, and the trades that are taken to have broken even.
PROFITS_FROM, PROFITS_TO = 0.7, 1.6
PSEUDO_TRADES = 5
# With fewer daily returns a month and the days before it are not compared.
DECAY_DAYS, DECAY_DAYS_BEFORE = 10, 30
# Days and trades from which a score is trusted in full.
TRUSTED_DAYS, TRUSTED_TRADES = 60, 20
# Below this a return, or the spread of returns, is the rounding of something that did not move.
NOISE = 1e-12


class Sample(NamedTuple):
    """Daily returns in four numbers: how many, their Sharpe ratio, skewness, and kurtosis (3 is normal)."""

    count: int
    sharpe: float
    skewness: float
    kurtosis: float


@dataclass(frozen=True)
class Health:
    """The measures of one strategy, each 0 to 1 and better the higher; `raw` and `score` are 0 to 100.

    `edge`: probability that its Sharpe ratio is above 0; `beyond_luck`: above that of the luckiest of as many
    without skill. `drawdown`: room left to the worst allowed. `wins`: probability that it wins often enough for
    the sizes of its wins and losses. `profits`: its profit factor. `decay`: probability that the month was no worse
    than the 90 days before it. `trust` is how much of the raw score is believed. `deepest` is the deepest fall, a
    fraction.
    """

    edge: float
    beyond_luck: float
    drawdown: float
    wins: float
    profits: float
    decay: float
    deepest: float
    raw: float
    trust: float
    score: float


def examine(recent: Prices, month: Prices, before: Prices, trades: Prices, tried: float) -> Health:
    """The health of a strategy.

    `recent` (up to 90,) are its last daily returns, of which `month` are those of the month and `before` those of
    the 90 days before it. `trades` (n,) are the returns of the trades closed in the days of `recent`, net of fees,
    as fractions of the account. `tried` is the effective number of strategies it was chosen from.
    """
    sample = sample_of(recent)
    deepest = max_drawdown(np.cumprod(1 + recent), 1.0)
    measures = {
        "edge": surely_above(sample, 0.0),
        "beyond_luck": surely_above(sample, luckiest(sample.count, tried)),
        "drawdown": max(0.0, 1 - deepest / WORST_DRAWDOWN),
        "wins": often_enough(trades),
        "profits": profitable(trades),
        "decay": as_good_as_before(month, before),
    }
    raw = 100 * sum(WEIGHTS[name] * value for name, value in measures.items())
    trust = trust_in(len(recent), len(trades))
    return Health(**measures, deepest=deepest, raw=raw, trust=trust, score=NEUTRAL + (raw - NEUTRAL) * trust)


def sample_of(returns: Prices) -> Sample:
    """The moments of `returns` (n,): the Sharpe ratio with ddof 1, skewness and kurtosis of the population.

    Of fewer than two days, or where all are alike, the ratio is 0 and the shape normal.
    """
    if len(returns) < 2 or returns.std() < NOISE:
        return Sample(len(returns), 0.0, 0.0, 3.0)
    away = returns - returns.mean()
    spread = away.std()
    return Sample(
        count=len(returns),
        sharpe=float(returns.mean() / returns.std(ddof=1)),
        skewness=float((away**3).mean() / spread**3),
        kurtosis=float((away**4).mean() / spread**4),
    )


def surely_above(sample: Sample, benchmark: float) -> float:
    """The probability that the true Sharpe ratio is above `benchmark`: PSR, 0.5 with fewer than three days.

    Bailey and Lopez de Prado (2012), The Sharpe Ratio Efficient Frontier, Journal of Risk 15(2).
    """
    count, ratio, skewness, kurtosis = sample
    if count < 3:
        return 0.5
    spread = 1 - skewness * ratio + (kurtosis - 1) / 4 * ratio**2
    return NORMAL.cdf((ratio - benchmark) * sqrt(count - 1) / sqrt(max(spread, 1e-9)))


def luckiest(days: int, tried: float) -> float:
    """The Sharpe ratio to expect of the best of `tried` strategies without any skill, after so many `days`.

    With it as the benchmark `surely_above` is the deflated Sharpe ratio. 0 where there is nothing to choose from.
    Bailey and Lopez de Prado (2014), The Deflated Sharpe Ratio, Journal of Portfolio Management 40(5).
    """
    if days < 3 or tried <= 1:
        return 0.0
    return max(0.0, best_of(tried)) / sqrt(days - 1)


def best_of(tried: float) -> float:
    """The expected maximum of `tried` > 1 independent standard normal values, approximately."""
    return (1 - EULER) * NORMAL.inv_cdf(1 - 1 / tried) + EULER * NORMAL.inv_cdf(1 - 1 / (tried * e))


def effective_number(returns: NDArray[np.float64]) -> float:
    """How many independent strategies the daily `returns` (strategies, days) amount to, 0 to `strategies`.

    The participation ratio of the eigenvalues of their correlations: (sum)^2 / sum of squares. Strategies whose
    returns are all alike have not been tried; with fewer than two days none has.
    """
    if returns.ndim < 2 or returns.shape[1] < 2:
        return 0.0
    moved = returns[returns.std(axis=1) >= NOISE]
    if len(moved) < 2:
        return float(len(moved))
    values = np.linalg.eigvalsh(np.corrcoef(moved))
    return float(values.sum() ** 2 / (values**2).sum())


def often_enough(trades: Prices) -> float:
    """The probability that the share of wins is above the one that just pays for the losses.

    p against p_be = 1 / (1 + payoff) with its standard error; 0.5 until there are both wins and losses.
    """
    wins, losses = trades[trades > NOISE], trades[trades < -NOISE]
    if not len(wins) or not len(losses):
        return 0.5
    count = len(wins) + len(losses)
    even = 1 / (1 + wins.mean() / -losses.mean())
    return NORMAL.cdf(float((len(wins) / count - even) / sqrt(even * (1 - even) / count)))


def profitable(trades: Prices) -> float:
    """0 to 1 as the profit factor rises from 0.7 to 1.6, with five ordinary trades more that broke even."""
    usual = np.abs(trades).mean() if len(trades) else 0.0
    if usual < NOISE:
        factor = 1.0
    else:
        factor = profit_factor(np.append(trades, [usual * PSEUDO_TRADES / 2, -usual * PSEUDO_TRADES / 2]))
    return float(np.clip((factor - PROFITS_FROM) / (PROFITS_TO - PROFITS_FROM), 0, 1))


def as_good_as_before(month: Prices, before: Prices) -> float:
    """The probability that the true Sharpe ratio did not fall; 0.5 with too few days to tell.

    The difference of two ratios over its standard error sqrt(1/n1 + 1/n2).
    """
    if len(month) < DECAY_DAYS or len(before) < DECAY_DAYS_BEFORE:
        return 0.5
    fell = sample_of(month).sharpe - sample_of(before).sharpe
    return NORMAL.cdf(fell / sqrt(1 / len(month) + 1 / len(before)))


def trust_in(days: int, trades: int) -> float:
    """How much of a raw score is believed, 0 to 1: it grows with the roots of days and trades."""
    return min(1.0, sqrt(days / TRUSTED_DAYS)) * min(1.0, sqrt(trades / TRUSTED_TRADES))
