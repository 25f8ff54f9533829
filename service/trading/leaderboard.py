"""The leaderboard: strategies ranked by their result, over all their assets or in one of them; and a page of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.documents import Document, DocumentHeader, percent, usd
from service.market.bars import Prices, Times
from service.market.instants import iso
from service.tabular import Table, table_of
from service.trading.accounts import TradeHistory
from service.trading.arena import Account, Accounts, Arena
from service.trading.performance import (
    TradeStatistics,
    daily_returns,
    max_drawdown,
    sharpe_fields,
    trade_statistics,
    win_rate_pct,
)
from service.trading.strategies import GHOSTS, STRATEGIES, Ghost, Strategy

RECENT_TRADES = 50
DAILY_POINTS = 365  # of the equity; older ones are by the month, so that a page stays small

Side = Literal["long", "short"]


@dataclass(frozen=True)
class AccountPosition:
    """An open position: prices in USD, `pnl_usd` at the mark net of the entry fee and of the interest of a short."""

    asset: str
    side: Side
    quantity: float
    entry_price: float
    mark_price: float
    pnl_usd: float
    opened_at: str


@dataclass(frozen=True)
class AccountTrade:
    """A closed position: prices in USD after slippage, `pnl_usd` net of both fees and of the interest of a short."""

    asset: str
    side: Side
    quantity: float
    entry_price: float
    exit_price: float
    opened_at: str
    closed_at: str
    pnl_usd: float
    pnl_pct: float
    fee_usd: float
    borrow_usd: float


@dataclass(frozen=True)
class LeaderboardEntry:
    """One strategy or ghost: USD, percent, closed trades; `positions` are the open ones.

    `rank` is null for a ghost. `max_drawdown_pct` and `sharpe` are computed from daily equity; where the 95% interval
    of `sharpe` contains 0, luck may explain the result. `benchmark_pnl_pct` is the result of buying and holding the
    same assets from the same instant, with the same fees.
    """

    rank: int | None
    key: str
    name: str
    category: str
    initial_capital: float
    capital: float
    pnl_usd: float
    pnl_pct: float
    trades: int
    win_rate_pct: float | None
    sharpe: float | None
    sharpe_low: float | None
    sharpe_high: float | None
    max_drawdown_pct: float
    benchmark_pnl_pct: float
    positions: tuple[AccountPosition, ...]


@dataclass(frozen=True)
class LeaderboardDocument(Document):
    """The document of GET /api/v1/leaderboard: all strategies by rank, and the ghosts."""

    asset: str | None
    assets: tuple[str, ...]
    count: int
    borrow_rate_pct: float
    entries: tuple[LeaderboardEntry, ...]
    ghosts: tuple[LeaderboardEntry, ...]


@dataclass(frozen=True)
class EquityPoint:
    """USD in all accounts of a strategy at an instant, and in accounts that buy and hold the same assets."""

    time: str
    equity_usd: float
    benchmark_usd: float


@dataclass(frozen=True)
class StrategyDocument(Document):
    """The document of GET /api/v1/strategies/{key}: one strategy in full.

    `standing` is its entry in the leaderboard over all assets. `equity` has a point at each 24:00 UTC since
    `started_at` and one for now; `recent_trades` are the last 50 closed in any asset, newest first.
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


def leaderboard(arena: Arena, header: DocumentHeader, asset: str | None = None) -> LeaderboardDocument:
    """Strategies over all their assets, or their accounts in `asset` alone, by `pnl_pct`; ties by key."""
    entries = [_entry(strategy, arena.accounts[key], arena, asset) for key, strategy in STRATEGIES.items()]
    entries.sort(key=lambda entry: (-entry.pnl_pct, entry.key))
    return LeaderboardDocument(
        schema="leaderboard/1",
        **vars(header),
        asset=asset,
        assets=arena.assets if asset is None else (asset,),
        count=len(entries),
        borrow_rate_pct=percent(arena.terms.borrow),
        entries=tuple(replace(entry, rank=rank) for rank, entry in enumerate(entries, start=1)),
        ghosts=tuple(_entry(ghost, arena.accounts[key], arena, asset) for key, ghost in GHOSTS.items()),
    )


def leaderboard_table(document: LeaderboardDocument) -> Table:
    """The entries by rank and then the ghosts, without their positions."""
    entries = (*document.entries, *document.ghosts)
    return table_of(LeaderboardEntry, entries, as_of=document.as_of, world=document.world)


def _entry(strategy: Strategy | Ghost, accounts: Accounts, arena: Arena, asset: str | None) -> LeaderboardEntry:
    """The entry of one strategy or ghost, without its rank."""
    chosen = list(accounts.values()) if asset is None else [accounts[asset]]
    held = sum(arena.accounts["buy_and_hold"][account.asset].equity for account in chosen)
    initial = sum(account.history.terms.capital for account in chosen)
    path = _path(chosen)
    capital = float(path[-1])
    pnl = np.concatenate([account.history.pnl for account in chosen])
    return LeaderboardEntry(
        rank=None,
        key=strategy.key,
        name=strategy.name,
        category=strategy.category,
        initial_capital=usd(initial),
        capital=usd(capital),
        pnl_usd=usd(capital - initial),
        pnl_pct=percent(capital / initial - 1),
        trades=len(pnl),
        win_rate_pct=win_rate_pct(pnl),
        **sharpe_fields(daily_returns(path[:-1], initial)),
        max_drawdown_pct=percent(max_drawdown(path, initial)),
        benchmark_pnl_pct=percent(held / initial - 1),
        positions=tuple(position for account in chosen if (position := position_of(account))),
    )


def position_of(account: Account) -> AccountPosition | None:
    """The open position of an account; None without one."""
    history = account.history
    if account.mark_price is None or not history.is_open:
        return None
    return AccountPosition(
        asset=account.asset,
        side=_side(history.side[-1]),
        quantity=_exact(history.quantity[-1]),
        entry_price=_exact(history.entry_price[-1]),
        mark_price=_exact(account.mark_price),
        pnl_usd=usd(account.equity - history.capital[-1]),
        opened_at=iso(int(history.entry_time[-1])),
    )


def trades_of(history: TradeHistory, asset: str, since: int = 0) -> list[AccountTrade]:
    """The trades closed at or after the unix second `since`, oldest first."""
    first = int(np.searchsorted(history.exit_time, since))
    pnl, fees, interest = history.pnl, history.fees, history.interest
    return [
        AccountTrade(
            asset=asset,
            side=_side(history.side[row]),
            quantity=_exact(history.quantity[row]),
            entry_price=_exact(history.entry_price[row]),
            exit_price=_exact(history.exit_price[row]),
            opened_at=iso(int(history.entry_time[row])),
            closed_at=iso(int(history.exit_time[row])),
            pnl_usd=usd(pnl[row]),
            pnl_pct=percent(pnl[row] / history.capital[row]),
            fee_usd=usd(fees[row]),
            borrow_usd=usd(interest[row]),
        )
        for row in range(first, history.closed)
    ]


def _exact(value: float) -> float:
    return round(float(value), 8)


def _side(side: int) -> Side:
    return "long" if side > 0 else "short"


def strategy_page(arena: Arena, standing: LeaderboardEntry, header: DocumentHeader) -> StrategyDocument:
    """The page of the strategy whose entry in the leaderboard over all assets is `standing`."""
    strategy, accounts = STRATEGIES[standing.key], arena.accounts[standing.key]
    return StrategyDocument(
        schema="strategy/1",
        **vars(header),
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
    times, is_shown = np.append(arena.days, arena.as_of), np.append(shown_days(arena.days), True)
    benchmark_accounts = [arena.accounts["buy_and_hold"][asset] for asset in accounts]
    columns = (times, _path(accounts.values()), _path(benchmark_accounts))
    rows = zip(*(column[is_shown].tolist() for column in columns), strict=True)
    points = {time: EquityPoint(iso(time), usd(equity), usd(benchmark)) for time, equity, benchmark in rows}
    return tuple(points.values())


def shown_days(days: Times) -> NDArray[np.bool_]:
    """Which ends of days (n,) are shown: those of the last year, and before it the ends of months."""
    instants = days.astype("datetime64[s]")
    recent = np.arange(len(days)) >= len(days) - DAILY_POINTS
    return recent | (instants == instants.astype("datetime64[M]"))


def _path(accounts: Collection[Account]) -> Prices:
    """USD in all accounts at the end of each day and now, shape (days + 1,)."""
    daily = np.sum([account.daily for account in accounts], axis=0)
    return np.append(daily, sum(account.equity for account in accounts))


def _recent(accounts: Accounts) -> tuple[AccountTrade, ...]:
    exits = np.sort(np.concatenate([account.history.exit_time for account in accounts.values()]))
    since = int(exits[-RECENT_TRADES:][0]) if len(exits) else 0
    trades = [trade for asset, account in accounts.items() for trade in trades_of(account.history, asset, since)]
    trades.sort(key=lambda trade: (trade.closed_at, trade.opened_at, trade.asset), reverse=True)
    return tuple(trades[:RECENT_TRADES])
