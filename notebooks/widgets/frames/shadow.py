"""Shadow bets as frames: each bet, each book, and how its winnings went. All of it is on paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import CLAIM, COUNT, INSTANT, NUMBER, OUTCOME, TEXT, WORLD, Table, one_of

SHADOW_BETS = Table(
    {"market_id": TEXT},
    {
        "question": TEXT,
        "asset": TEXT,
        "side": one_of("yes", "no"),
        "status": one_of("open", "won", "lost", "void"),
        "outcome": OUTCOME,
        "p_ai": NUMBER,
        "p_market": NUMBER,
        "price": NUMBER,
        "contracts": NUMBER,
        "stake_usd": NUMBER,
        "fee_usd": NUMBER,
        "pnl_usd": NUMBER,
        "opened_at": INSTANT,
        "deadline": INSTANT,
        "source": TEXT,
        "simulated": CLAIM,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)
SHADOW_BOOKS = Table(
    {"backfilled": CLAIM},
    {
        "bets": COUNT,
        "open": COUNT,
        "won": COUNT,
        "lost": COUNT,
        "void": COUNT,
        "n": COUNT,
        "staked_usd": NUMBER,
        "pnl_usd": NUMBER,
        "roi_pct": NUMBER,
        "roi_low_pct": NUMBER,
        "roi_high_pct": NUMBER,
        "win_rate_pct": NUMBER,
        "breakeven_pct": NUMBER,
        "max_drawdown_usd": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
SHADOW_CURVE = Table({"time": INSTANT}, {"pnl_usd": NUMBER, "backfilled": CLAIM, "world": WORLD})


def shadow_bets(document: Mapping[str, Any]) -> pd.DataFrame:
    """The bets that are open, and after them the last that were settled.

    Parameters
    ----------
    document : that of `client.shadow()`

    Returns
    -------
    One row a bet, index `market_id`. `price` is what a contract cost, in 0 to 1 USD, the fee included in `stake_usd`;
    `pnl_usd` is missing while the bet is open. Nobody traded at odds that are `simulated`.
    """
    return SHADOW_BETS.frame((*document["open"], *document["recent"]), world=document["world"])


def shadow_books(document: Mapping[str, Any]) -> pd.DataFrame:
    """What the bets made, live and backfilled.

    Parameters
    ----------
    document : that of `client.shadow()`

    Returns
    -------
    One row a book, index `backfilled`. `roi_` is percent of what was staked on the `n` settled bets, with a 95 %
    interval.
    """
    return SHADOW_BOOKS.frame(document["books"], as_of=document["as_of"], world=document["world"])


def shadow_curve(document: Mapping[str, Any]) -> pd.DataFrame:
    """What all bets that were settled by an instant had made.

    Parameters
    ----------
    document : that of `client.shadow()`

    Returns
    -------
    Index `time`, UTC, oldest first in each book; `pnl_usd` is the sum so far.
    """
    points = ({**point, "backfilled": book["backfilled"]} for book in document["books"] for point in book["curve"])
    return SHADOW_CURVE.frame(points, world=document["world"])
