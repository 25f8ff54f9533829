"""The page of one strategy: its rule, its equity curve, its trades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Times
from service.market.instants import iso
from service.trading.arena import Accounts, Arena
from service.trading.leaderboard import LeaderboardEntry
from service.trading.performance import TradeStatistics, trade_statistics
from service.trading.statements import AccountTrade, percent, trades_of, usd
from service.trading.strategies import STRATEGIES

RECENT_TRADES = 50
DAILY_POINTS = 365  # of the equity; older ones are by the month, so that a page stays small


@dataclass(frozen=True)
class EquityPoint:
    """USD in all accounts of a strategy at an instant, and in accounts that buy and hold the same assets."""

    time: str
    equity_usd: float
    benchmark_usd: float


@dataclass(frozen=True)
class Profile:
    """The content of a strategy's page.

    `standing` is its entry in the leaderboard over all assets. `equity` has a point for now, one at each 24:00 UTC of
    the last year, and before that one at the end of each month since `started_at`. `recent_trades` are the last 50
    closed in any asset, newest first. `borrow_rate_pct` is the interest a year that a short pays.
    """

    key: str
    name: str
    category: str
    description: str
    source: str
    parameters: Mapping[str, float]
    assets: tuple[str, ...]
    started_at: str
    borrow_rate_pct: float
    standing: LeaderboardEntry
    statistics: TradeStatistics
    equity: tuple[EquityPoint, ...]
    recent_trades: tuple[AccountTrade, ...]


def profile(arena: Arena, standing: LeaderboardEntry) -> Profile:
    """The page of the strategy whose entry in the leaderboard over all assets is `standing`."""
    strategy, accounts = STRATEGIES[standing.key], arena.strategies[standing.key]
    return Profile(
        key=strategy.key,
        name=strategy.name,
        category=strategy.category,
        description=strategy.description,
        source=strategy.source,
        parameters=dict(strategy.parameters),
        assets=tuple(accounts),
        started_at=iso(arena.anchor),
        borrow_rate_pct=percent(arena.terms.borrow),
        standing=standing,
        statistics=trade_statistics([account.history for account in accounts.values()]),
        equity=_curve(arena, accounts),
        recent_trades=_recent(accounts),
    )


def _curve(arena: Arena, accounts: Accounts) -> tuple[EquityPoint, ...]:
    """A point for each shown day and one for now; exactly at 24:00 they are the same point."""
    held = {asset: arena.ghosts["buy_and_hold"][asset] for asset in accounts}
    times = np.append(arena.days, arena.as_of)
    shown = np.flatnonzero(np.append(shown_days(arena.days), True)).tolist()
    equity, benchmark = _path(accounts), _path(held)
    points = {
        int(times[row]): EquityPoint(iso(int(times[row])), usd(equity[row]), usd(benchmark[row])) for row in shown
    }
    return tuple(points.values())


def shown_days(days: Times) -> NDArray[np.bool_]:
    """Which ends of days (n,) are shown: those of the last year, and before it the ends of months."""
    instants = days.astype("datetime64[s]")
    recent = np.arange(len(days)) >= len(days) - DAILY_POINTS
    return recent | (instants == instants.astype("datetime64[M]"))


def _path(accounts: Accounts) -> list[float]:
    daily = np.sum([account.daily for account in accounts.values()], axis=0)
    return np.append(daily, sum(account.equity for account in accounts.values())).tolist()


def _recent(accounts: Accounts) -> tuple[AccountTrade, ...]:
    exits = np.sort(np.concatenate([account.history.exit_time for account in accounts.values()]))
    since = int(exits[-RECENT_TRADES:][0]) if len(exits) else 0
    trades = [trade for asset, account in accounts.items() for trade in trades_of(account.history, asset, since)]
    trades.sort(key=lambda trade: (trade.closed_at, trade.opened_at, trade.asset), reverse=True)
    return tuple(trades[:RECENT_TRADES])
