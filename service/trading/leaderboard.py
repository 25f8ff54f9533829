"""The leaderboard: strategies ranked by their result, over all their assets or in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from service.trading.arena import Account, Accounts, Arena
from service.trading.ghosts import GHOSTS, Ghost
from service.trading.performance import daily_returns, max_drawdown, sharpe_fields, win_rate
from service.trading.statements import AccountPosition, percent, position_of, usd
from service.trading.strategies import STRATEGIES, Strategy


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
class Leaderboard:
    """All strategies by rank, and the ghosts, which have no rank.

    `borrow_rate_pct` is the interest a year that the accounts pay for what they sell short.
    """

    asset: str | None
    assets: tuple[str, ...]
    count: int
    borrow_rate_pct: float
    entries: tuple[LeaderboardEntry, ...]
    ghosts: tuple[LeaderboardEntry, ...]


def leaderboard(arena: Arena, asset: str | None = None) -> Leaderboard:
    """Strategies over all their assets, or their accounts in `asset` alone, by `pnl_pct`; ties by key."""
    entries = [_entry(STRATEGIES[key], accounts, arena, asset) for key, accounts in arena.strategies.items()]
    entries.sort(key=lambda entry: (-entry.pnl_pct, entry.key))
    return Leaderboard(
        asset=asset,
        assets=arena.assets if asset is None else (asset,),
        count=len(entries),
        borrow_rate_pct=percent(arena.terms.borrow),
        entries=tuple(replace(entry, rank=rank) for rank, entry in enumerate(entries, start=1)),
        ghosts=tuple(_entry(GHOSTS[key], accounts, arena, asset) for key, accounts in arena.ghosts.items()),
    )


def _entry(strategy: Strategy | Ghost, accounts: Accounts, arena: Arena, asset: str | None) -> LeaderboardEntry:
    """The entry of one strategy or ghost, without its rank."""
    chosen = list(accounts.values()) if asset is None else [accounts[asset]]
    initial = sum(account.history.terms.capital for account in chosen)
    capital = sum(account.equity for account in chosen)
    daily = np.sum([account.daily for account in chosen], axis=0)
    pnl = np.concatenate([account.history.pnl for account in chosen])
    won, returns = win_rate(pnl), daily_returns(daily, initial)
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
        win_rate_pct=None if won is None else percent(won),
        **sharpe_fields(returns),
        max_drawdown_pct=percent(max_drawdown(np.append(daily, capital), initial)),
        benchmark_pnl_pct=percent(_held(chosen, arena) / initial - 1),
        positions=_positions(chosen),
    )


def _held(accounts: Sequence[Account], arena: Arena) -> float:
    """USD that buying and holding the assets of `accounts` is worth now."""
    return sum(arena.ghosts["buy_and_hold"][account.asset].equity for account in accounts)


def _positions(accounts: Sequence[Account]) -> tuple[AccountPosition, ...]:
    priced = ((account, account.mark_price) for account in accounts if account.mark_price is not None)
    held = (position_of(account.history, account.asset, price, account.equity) for account, price in priced)
    return tuple(position for position in held if position is not None)
