"""The leaderboard of strategies, and one strategy in full, as frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import (
    CLAIM,
    COUNT,
    INSTANT,
    NUMBER,
    POSITION,
    STRATEGY_CATEGORY,
    TEXT,
    WORLD,
    Table,
)

LEADERBOARD = Table(
    {"key": TEXT},
    {
        "rank": COUNT,
        "name": TEXT,
        "category": STRATEGY_CATEGORY,
        "ghost": CLAIM,
        "asset": TEXT,
        "initial_capital": NUMBER,
        "capital": NUMBER,
        "pnl_usd": NUMBER,
        "pnl_pct": NUMBER,
        "benchmark_pnl_pct": NUMBER,
        "trades": COUNT,
        "win_rate_pct": NUMBER,
        "sharpe": NUMBER,
        "max_drawdown_pct": NUMBER,
        "positions": COUNT,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
STRATEGY_EQUITY = Table(
    {"time": INSTANT},
    {"key": TEXT, "equity_usd": NUMBER, "benchmark_usd": NUMBER, "world": WORLD},
)
STRATEGY_TRADES = Table(
    {"closed_at": INSTANT},
    {
        "key": TEXT,
        "asset": TEXT,
        "side": POSITION,
        "quantity": NUMBER,
        "entry_price": NUMBER,
        "exit_price": NUMBER,
        "opened_at": INSTANT,
        "pnl_usd": NUMBER,
        "pnl_pct": NUMBER,
        "fee_usd": NUMBER,
        "world": WORLD,
    },
)


def leaderboard(document: Mapping[str, Any]) -> pd.DataFrame:
    """The strategies by rank, and after them the ghosts that they are measured against.

    Parameters
    ----------
    document : that of `client.leaderboard()`, of all assets or of one

    Returns
    -------
    One row a strategy, index `key`. A ghost is marked by `ghost` and has no `rank`. `asset` is missing where the
    board is over all assets. Capitals are USD, `_pct` percent, `sharpe` is of a year, `positions` is how many it
    holds.
    """
    ranked = ({**entry, "ghost": False} for entry in document["entries"])
    ghosts = ({**entry, "ghost": True} for entry in document["ghosts"])
    rows = ({**entry, "positions": len(entry["positions"])} for entry in (*ranked, *ghosts))
    return LEADERBOARD.frame(rows, asset=document["asset"], as_of=document["as_of"], world=document["world"])


def strategy_equity(document: Mapping[str, Any]) -> pd.DataFrame:
    """What a strategy was worth at each 24:00 UTC and is now, beside buying and holding the same assets.

    Parameters
    ----------
    document : that of `client.strategy(key)`

    Returns
    -------
    Index `time`, UTC, oldest first; both curves in USD.
    """
    return STRATEGY_EQUITY.frame(document["equity"], key=document["key"], world=document["world"])


def strategy_trades(document: Mapping[str, Any]) -> pd.DataFrame:
    """The trades that a strategy closed last, at most a hundred.

    Parameters
    ----------
    document : that of `client.strategy(key)`

    Returns
    -------
    Index `closed_at`, UTC, which may repeat, newest first. Prices are USD after slippage, `pnl_usd` and `pnl_pct`
    net of the fees of both sides, `quantity` is units of the asset.
    """
    return STRATEGY_TRADES.frame(document["recent_trades"], key=document["key"], world=document["world"])
