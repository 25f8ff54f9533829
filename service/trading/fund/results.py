"""The performance of an equity curve, with the uncertainty of its Sharpe ratio."""

from __future__ import annotations

from dataclasses import dataclass

from service.market.bars import Prices, Times
from service.trading.performance import daily_returns, day_ends, max_drawdown, sharpe_fields
from service.trading.statements import percent, usd


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
    return Performance(
        equity_usd=usd(equity[-1]),
        pnl_pct=percent(equity[-1] / capital - 1),
        **sharpe_fields(returns),
        max_drawdown_pct=percent(max_drawdown(equity, capital)),
    )
