"""The health score of a strategy: five measures of its last 90 days, their weighted sum, and a shrinkage towards 50.

Luck is the main effect: of 54 strategies without skill the best has an annual Sharpe ratio above 4 over 90 days. So a
ratio counts by its statistical certainty and by the number of strategies tried, and a short record is drawn towards
50. Returns and Sharpe ratios in this file are daily.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from service.market.bars import Prices
from service.trading.performance import max_drawdown, profit_factor

NORMAL = NormalDist()

# The weight of each measure in the raw score, in parts of 18, so that they add up to 1.
WEIGHTS = {"edge": 6 / 18, "beyond_luck": 3 / 18, "drawdown": 5 / 18, "wins": 2 / 18, "profits": 2 / 18}
NEUTRAL = 50.0

WORST_DRAWDOWN = 0.25
# The measure of profits rises from 0 to 1 between these profit factors; so many break-even trades are added first.
PROFITS_FROM, PROFITS_TO = 0.7, 1.6
PSEUDO_TRADES = 5
# Days and trades from which a score is not shrunk.
TRUSTED_DAYS, TRUSTED_TRADES = 60, 20
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
    """The measures of one strategy, each from 0 (worst) to 1; `raw` and `score` are 0 to 100.

    `edge`: probability that its Sharpe ratio is above 0. `beyond_luck`: probability that it is above that of the
    luckiest of as many strategies without skill. `drawdown`: margin left to WORST_DRAWDOWN. `wins`: probability that
    it wins often enough for the sizes of its wins and losses. `profits`: its profit factor, scaled. `deepest` is the
    maximum drawdown, a fraction. `trust` is the weight of the raw score against NEUTRAL.
    """

    edge: float
    beyond_luck: float
    drawdown: float
    wins: float
    profits: float
    deepest: float
    raw: float
    trust: float
    score: float


def examine(recent: Prices, trades: Prices, luckiest: float) -> Health:
    """The health of a strategy.

    Parameters
    ----------
    recent : float64 (up to 90,)
        Its last daily returns.
    trades : float64 (n,)
        The returns of the trades closed in the days of `recent`, net of fees, as fractions of the account.
    luckiest : float
        The expected best of the strategies it was chosen from, if none had skill, in standard errors.

    Returns
    -------
    Health
        With little data `trust`, and so the distance of `score` from 50, is small; without any the score is 50.
    """
    statistics = return_statistics(recent)
    deepest = max_drawdown(np.cumprod(1 + recent, dtype=np.float64), 1.0)
    measures = {
        "edge": probability_above(statistics, 0.0),
        "beyond_luck": probability_above(statistics, luckiest / sqrt(max(statistics.days - 1, 1))),
        "drawdown": max(0.0, 1 - deepest / WORST_DRAWDOWN),
        "wins": probability_of_enough_wins(trades),
        "profits": scaled_profit_factor(trades),
    }
    raw = 100 * sum(WEIGHTS[name] * value for name, value in measures.items())
    trust = trust_of(len(recent), len(trades))
    return Health(**measures, deepest=deepest, raw=raw, trust=trust, score=NEUTRAL + (raw - NEUTRAL) * trust)


def return_statistics(returns: Prices) -> ReturnStatistics:
    """The Sharpe ratio (ddof 1), skewness and kurtosis (of the population) of `returns` (n,).

    With fewer than two days or equal returns, the ratio is 0, the skewness 0 and the kurtosis 3.
    """
    if len(returns) < 2 or returns.std() < NOISE:
        return ReturnStatistics(len(returns), 0.0, 0.0, 3.0)
    away = returns - returns.mean()
    spread = away.std()
    return ReturnStatistics(
        days=len(returns),
        sharpe=float(returns.mean() / returns.std(ddof=1)),
        skewness=float((away**3).mean() / spread**3),
        kurtosis=float((away**4).mean() / spread**4),
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


def probability_of_enough_wins(trades: Prices) -> float:
    """The probability that the share of wins p is above the break-even share p_be = 1 / (1 + mean win / mean loss).

    Phi((p - p_be) / sqrt(p_be (1 - p_be) / n)); 0.5 until `trades` (n,) have both wins and losses.
    """
    wins, losses = trades[trades > NOISE], trades[trades < -NOISE]
    if not len(wins) or not len(losses):
        return 0.5
    count = len(wins) + len(losses)
    even = 1 / (1 + wins.mean() / -losses.mean())
    return NORMAL.cdf(float((len(wins) / count - even) / sqrt(even * (1 - even) / count)))


def scaled_profit_factor(trades: Prices) -> float:
    """From 0 to 1 as the profit factor of `trades` (n,) rises from 0.7 to 1.6.

    PSEUDO_TRADES of average size that break even are added, so that few trades give a factor near 1.
    """
    usual = np.abs(trades).mean() if len(trades) else 0.0
    factor = 1.0
    if usual >= NOISE:
        factor = profit_factor(np.append(trades, [usual * PSEUDO_TRADES / 2, -usual * PSEUDO_TRADES / 2]))
        assert factor is not None  # the added trades include a loss
    return float(np.clip((factor - PROFITS_FROM) / (PROFITS_TO - PROFITS_FROM), 0, 1))


def trust_of(days: int, trades: int) -> float:
    """The weight of a raw score, 0 to 1: it grows with the square roots of days and trades."""
    return min(1.0, sqrt(days / TRUSTED_DAYS)) * min(1.0, sqrt(trades / TRUSTED_TRADES))
