"""The shadow book as frames: its results and their PnL over time. All bets are on paper."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

SHADOW_BOOKS = FrameSchema.of(
    "backfilled:flag",
    "bets:count open:count won:count lost:count void:count n:count n_eff staked_usd pnl_usd roi_pct roi_low_pct"
    " roi_high_pct win_rate_pct win_rate_low_pct win_rate_high_pct breakeven_pct max_drawdown_usd as_of:time"
    " world:world",
)
SHADOW_CURVE = FrameSchema.of("time:time", "pnl_usd backfilled:flag world:world")


def shadow_books(document: Document) -> pd.DataFrame:
    """The results of the bets, live and backfilled.

    Parameters
    ----------
    document : the response of `client.shadow()`

    Returns
    -------
    One row per book, index `backfilled`. `roi_` is a percentage of the stakes of the `n` settled bets, with a 95%
    interval.
    """
    return SHADOW_BOOKS.frame(document["books"], as_of=document["as_of"], world=document["world"])


def shadow_curve(document: Document) -> pd.DataFrame:
    """The cumulative PnL of all bets settled up to an instant.

    Parameters
    ----------
    document : the response of `client.shadow()`

    Returns
    -------
    One row per point, index `time`, UTC, the oldest first in each book.
    """
    points = ({**point, "backfilled": book["backfilled"]} for book in document["books"] for point in book["curve"])
    return SHADOW_CURVE.frame(points, world=document["world"])
