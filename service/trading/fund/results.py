"""The performance of an equity curve, with the uncertainty of its Sharpe ratio."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from service.documents import rounded
from service.market.bars import Prices, Times
from service.trading.performance import DAYS_A_YEAR, daily_returns, day_ends, max_drawdown, sharpe
from service.trading.statements import percent, usd

Z95 = 1.959964


@dataclass(frozen=True)
class Performance:
    """Hourly maximum drawdown, and the annual Sharpe ratio of daily returns with its 95% interval."""

    equity_usd: float
    pnl_pct: float
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    max_drawdown_pct: float


def days_over(times: Times) -> Times:
    """The ends of the UTC days that are complete at the last of `times` (n,), shape (days,)."""
    return day_ends(int(times[0]), int(times[-1]))


def performance(times: Times, equity: Prices) -> Performance:
    """The performance of an equity curve.

    Parameters
    ----------
    times : int64 (n,)
        Unix seconds, ascending, at least one.
    equity : float64 (n,)
        USD at `times`; the first is the starting capital.

    Returns
    -------
    Performance
        The Sharpe ratio and its interval are None with fewer than two complete days or constant returns.
    """
    capital = float(equity[0])
    returns = daily_returns(equity[times.searchsorted(days_over(times), side="right") - 1], capital)
    ratio = sharpe(returns)
    low, high = (None, None) if ratio is None else _interval(ratio, len(returns))
    return Performance(
        equity_usd=usd(equity[-1]),
        pnl_pct=percent(equity[-1] / capital - 1),
        sharpe=rounded(ratio, 4),
        sharpe_low=low,
        sharpe_high=high,
        max_drawdown_pct=percent(max_drawdown(equity, capital)),
    )


def _interval(ratio: float, days: int) -> tuple[float, float]:
    """The 95% interval of an annual Sharpe ratio from `days` independent daily returns (Lo 2002).

    The variance of a daily ratio s is (1 + s^2 / 2) / days; that of the annual ratio is 365 times as large.
    """
    half = Z95 * sqrt((DAYS_A_YEAR + ratio**2 / 2) / days)
    return round(ratio - half, 4), round(ratio + half, 4)
