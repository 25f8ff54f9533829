"""How well USD did over a stretch of hours, and how much of that may be luck."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from service.market.bars import Prices, Times
from service.trading.performance import DAYS_A_YEAR, daily_returns, day_ends, max_drawdown, sharpe
from service.trading.statements import percent, usd

Z95 = 1.959964


@dataclass(frozen=True)
class Performance:
    """What became of USD: drawdown by the hour, Sharpe ratio of a year from daily returns with a 95 % interval."""

    equity_usd: float
    pnl_pct: float
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    max_drawdown_pct: float


def days_over(times: Times) -> Times:
    """The ends of the UTC days that are over at the last of `times` (n,), shape (days,)."""
    return day_ends(int(times[0]), int(times[-1]))


def performance(times: Times, equity: Prices) -> Performance:
    """That of `equity` (n,), USD at `times` (n,), from the first of them on."""
    capital = float(equity[0])
    returns = daily_returns(equity[times.searchsorted(days_over(times), side="right") - 1], capital)
    ratio = sharpe(returns)
    low, high = (None, None) if ratio is None else _interval(ratio, len(returns))
    return Performance(
        equity_usd=usd(equity[-1]),
        pnl_pct=percent(equity[-1] / capital - 1),
        sharpe=None if ratio is None else round(ratio, 4),
        sharpe_low=low,
        sharpe_high=high,
        max_drawdown_pct=percent(max_drawdown(equity, capital)),
    )


def _interval(ratio: float, days: int) -> tuple[float, float]:
    """The 95 % interval of an annual Sharpe ratio from `days` independent daily returns (Lo 2002).

    Its variance is that of the daily ratio s, (1 + s^2 / 2) / days, over a year of 365 of them.
    """
    half = Z95 * sqrt((DAYS_A_YEAR + ratio**2 / 2) / days)
    return round(ratio - half, 4), round(ratio + half, 4)
