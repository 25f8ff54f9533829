"""The strategy leaderboard, and the equity and trades of one strategy, as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

LEADERBOARD = FrameSchema.of(
    "key:text",
    "rank:count name:text category:strategy_category ghost:flag asset:text initial_capital capital pnl_usd pnl_pct"
    " benchmark_pnl_pct trades:count win_rate_pct sharpe sharpe_low sharpe_high max_drawdown_pct positions:count"
    " as_of:time world:world",
)
STRATEGY_EQUITY = FrameSchema.of("time:time", "key:text equity_usd benchmark_usd world:world")
STRATEGY_TRADES = FrameSchema.of(
    "closed_at:time",
    "key:text asset:text side:position quantity entry_price exit_price opened_at:time pnl_usd pnl_pct fee_usd"
    " borrow_usd world:world",
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
