"""Shadow bets as frames: the bets, the books and their PnL over time. All bets are on paper."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    FLAG,
    INSTANT,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    one_of,
)

SHADOW_BETS = FrameSchema(
    {"id": TEXT},
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
        "simulated": FLAG,
        "backfilled": FLAG,
        "world": WORLD,
    },
)
SHADOW_BOOKS = FrameSchema(
    {"backfilled": FLAG},
    {
        "bets": COUNT,
        "open": COUNT,
        "won": COUNT,
        "lost": COUNT,
        "void": COUNT,
        "n": COUNT,
        "n_eff": NUMBER,
        "staked_usd": NUMBER,
        "pnl_usd": NUMBER,
        "roi_pct": NUMBER,
        "roi_low_pct": NUMBER,
        "roi_high_pct": NUMBER,
        "win_rate_pct": NUMBER,
        "win_rate_low_pct": NUMBER,
        "win_rate_high_pct": NUMBER,
        "breakeven_pct": NUMBER,
        "max_drawdown_usd": NUMBER,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
SHADOW_CURVE = FrameSchema({"time": INSTANT}, {"pnl_usd": NUMBER, "backfilled": FLAG, "world": WORLD})


def shadow_bets(document: Document) -> pd.DataFrame:
    """The open bets, then the latest settled bets.

    Parameters
    ----------
    document : the response of `client.shadow()`

    Returns
    -------
    One row per bet, index `id`, that of the market. `price` is USD per contract, 0 to 1; `stake_usd` includes the fee;
    an open bet has no `pnl_usd`. The odds of `simulated` bets come from this service.
    """
    bets = ({**bet, "id": bet["market_id"]} for bet in (*document["open"], *document["recent"]))
    return SHADOW_BETS.frame(bets, world=document["world"])


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
