"""The strategy leaderboard, and the equity and trades of one strategy, as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    FLAG,
    INSTANT,
    NUMBER,
    POSITION,
    STRATEGY_CATEGORY,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
)

LEADERBOARD = FrameSchema(
    {"key": TEXT},
    {
        "rank": COUNT,
        "name": TEXT,
        "category": STRATEGY_CATEGORY,
        "ghost": FLAG,
        "asset": TEXT,
        "initial_capital": NUMBER,
        "capital": NUMBER,
        "pnl_usd": NUMBER,
        "pnl_pct": NUMBER,
        "benchmark_pnl_pct": NUMBER,
        "trades": COUNT,
        "win_rate_pct": NUMBER,
        "sharpe": NUMBER,
        "sharpe_low": NUMBER,
        "sharpe_high": NUMBER,
        "max_drawdown_pct": NUMBER,
        "positions": COUNT,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
STRATEGY_EQUITY = FrameSchema(
    {"time": INSTANT},
    {"key": TEXT, "equity_usd": NUMBER, "benchmark_usd": NUMBER, "world": WORLD},
)
STRATEGY_TRADES = FrameSchema(
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
        "borrow_usd": NUMBER,
        "world": WORLD,
    },
)


def leaderboard(document: Document) -> pd.DataFrame:
    """The strategies by rank, then the ghosts that they are compared with.

    Parameters
    ----------
    document : the response of `client.leaderboard()` or `client.leaderboard(asset)`

    Returns
    -------
    One row per strategy, index `key`. A `ghost` has no `rank`. `asset` is missing for the board of all assets. Capitals
    are USD, `_pct` are percentages, `sharpe` is annualized with its 95% interval, `positions` is the number of open
    positions.
    """
    ranks = ({**entry, "ghost": False} for entry in document["entries"])
    ghosts = ({**entry, "ghost": True} for entry in document["ghosts"])
    rows = ({**entry, "positions": len(entry["positions"])} for entry in (*ranks, *ghosts))
    return LEADERBOARD.frame(rows, asset=document["asset"], as_of=document["as_of"], world=document["world"])


def strategy_equity(document: Document) -> pd.DataFrame:
    """The equity of a strategy at each 24:00 UTC and now, and of buy and hold of the same assets.

    Parameters
    ----------
    document : the response of `client.strategy(key)`

    Returns
    -------
    One row per point, index `time`, UTC, the oldest first; both values in USD.
    """
    return STRATEGY_EQUITY.frame(document["equity"], key=document["key"], world=document["world"])


def strategy_trades(document: Document) -> pd.DataFrame:
    """The latest closed trades of a strategy, at most 50.

    Parameters
    ----------
    document : the response of `client.strategy(key)`

    Returns
    -------
    One row per trade, index `closed_at`, UTC, which may repeat, the newest first. Prices are USD after slippage,
    `pnl_usd` and `pnl_pct` are net of the fees of both sides and of the interest of a short, `borrow_usd`. `quantity`
    is in units of the asset.
    """
    return STRATEGY_TRADES.frame(document["recent_trades"], key=document["key"], world=document["world"])
