"""Performance of an account, from its equity at the end of each day and from its closed trades.

Every day counts, weekends included, so a year has 365 days for metals as for crypto. Ratios and fractions are plain
numbers, not percent. A value that cannot be computed yet is None, never NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from service.documents import percent, rounded
from service.market.bars import Bars, Prices, Times
from service.market.instants import DAY, HOUR
from service.trading.accounts import TradeHistory

DAYS_A_YEAR = 365
Z95 = 1.959964


def day_ends(since: int, until: int) -> Times:
    """Every 24:00 UTC after the unix second `since` and not after `until`, shape (days,), ascending."""
    return np.arange(since - since % DAY + DAY, until + 1, DAY, dtype=np.int64)


def daily_equity(history: TradeHistory, bars: Bars, ends: Times) -> Prices:
    """USD in the account at each of `ends` (days,), marked at the last bar that was complete by then.

    Before the first complete bar it is the starting capital.
    """
    row = np.searchsorted(bars.time, ends - bars.step, side="right") - 1
    equity = np.full(len(ends), history.terms.capital)
    has_begun = row >= 0
    equity[has_begun] = history.equity(bars.time[row[has_begun]], bars.close[row[has_begun]])
    return equity


def daily_returns(equity: Prices, capital: float) -> Prices:
    """Simple return of each day, shape (days,), from `equity` (days,) in USD at its ends.

    The return of the first day is relative to `capital`, the USD before it. Empty without a day.
    """
    before = np.append(capital, equity)[:-1]
    return equity / before - 1


def sharpe(returns: Prices) -> float | None:
    """Annualised mean over standard deviation (ddof 1) of daily returns (days,), with a risk-free rate of 0.

    None with fewer than two days or when all returns are equal. Sharpe (1994), Journal of Portfolio Management 21(1).
    """
    if len(returns) < 2 or np.ptp(returns) == 0:
        return None
    return float(returns.mean() / returns.std(ddof=1) * np.sqrt(DAYS_A_YEAR))


def sharpe_interval(ratio: float, days: int) -> tuple[float, float]:
    """The 95% interval of an annual Sharpe ratio from `days` independent daily returns.

    The variance of a daily ratio s is (1 + s^2 / 2) / days; that of the annual ratio is 365 times as large.
    Lo (2002), The Statistics of Sharpe Ratios, Financial Analysts Journal 58(4).
    """
    half = Z95 * sqrt((DAYS_A_YEAR + ratio**2 / 2) / days)
    return ratio - half, ratio + half


def sharpe_fields(returns: Prices) -> dict[str, float | None]:
    """The Sharpe ratio of daily returns (days,) and its interval, as the fields of a document."""
    ratio = sharpe(returns)
    low, high = (None, None) if ratio is None else sharpe_interval(ratio, len(returns))
    return {"sharpe": rounded(ratio, 4), "sharpe_low": rounded(low, 4), "sharpe_high": rounded(high, 4)}


def max_drawdown(equity: Prices, capital: float) -> float:
    """The largest fall of `equity` (n,) below its previous maximum, as a fraction of that maximum.

    The first maximum is `capital`, so that a loss from the start counts. Without equity it is 0.
    """
    path = np.append(capital, equity)
    return float(np.max(1 - path / np.maximum.accumulate(path)))


def win_rate_pct(pnl: Prices) -> float | None:
    """The percentage of closed trades with a `pnl` (trades,), USD net of fees, above zero; None without any."""
    return percent(float(np.mean(pnl > 0))) if len(pnl) else None


def profit_factor(pnl: Prices) -> float | None:
    """USD won over USD lost by closed trades (trades,) net of fees; None until one has lost."""
    losses = -pnl[pnl < 0].sum()
    return float(pnl[pnl > 0].sum() / losses) if losses > 0 else None


@dataclass(frozen=True)
class TradeStatistics:
    """Statistics of closed trades: USD net of all costs, hours from entry to exit; null without the trades they need.

    `borrow_usd` is the interest that the short ones paid.
    """

    count: int
    win_rate_pct: float | None
    profit_factor: float | None
    average_win_usd: float | None
    average_loss_usd: float | None
    average_hours: float | None
    fees_usd: float
    borrow_usd: float


def trade_statistics(histories: list[TradeHistory]) -> TradeStatistics:
    """The statistics of the closed trades of all `histories` together; open positions do not count."""
    pnl = np.concatenate([history.pnl for history in histories])
    seconds = np.concatenate([history.exit_time - history.entry_time[: history.closed] for history in histories])
    return TradeStatistics(
        count=len(pnl),
        win_rate_pct=win_rate_pct(pnl),
        profit_factor=rounded(profit_factor(pnl), 4),
        average_win_usd=rounded(_mean(pnl[pnl > 0]), 2),
        average_loss_usd=rounded(_mean(pnl[pnl < 0]), 2),
        average_hours=rounded(_mean(seconds / HOUR), 2),
        fees_usd=round(float(sum(history.fees.sum() for history in histories)), 2),
        borrow_usd=round(float(sum(history.interest.sum() for history in histories)), 2),
    )


def _mean(values: Prices) -> float | None:
    return float(values.mean()) if len(values) else None
