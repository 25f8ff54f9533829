"""Prices and headlines as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import FLAG, INSTANT, NUMBER, TEXT, WORLD, Document, FrameSchema

PRICES = FrameSchema(
    {"asset": TEXT},
    {
        "name": TEXT,
        "price": NUMBER,
        "change_24h_pct": NUMBER,
        "high_24h": NUMBER,
        "low_24h": NUMBER,
        "market_open": FLAG,
        "as_of": INSTANT,
        "source": TEXT,
        "world": WORLD,
    },
)
HEADLINES = FrameSchema(
    {"published_at": INSTANT},
    {
        "title": TEXT,
        "source": TEXT,
        "url": TEXT,
        "score": NUMBER,
        "assets": TEXT,
        "simulated": FLAG,
        "world": WORLD,
    },
)


def prices(document: Document) -> pd.DataFrame:
    """The price of every asset.

    Parameters
    ----------
    document : the response of `client.prices()`

    Returns
    -------
    One row per asset, index `asset`. Prices are USD; `change_24h_pct` is a percentage. Each asset has its own `as_of`.
    """
    return PRICES.frame(document["prices"], world=document["world"])


def headlines(document: Document) -> pd.DataFrame:
    """The headlines behind the news pulse.

    Parameters
    ----------
    document : the response of `client.news()`

    Returns
    -------
    One row per headline, index `published_at`, UTC, which may repeat. `score` is the tone, -1 (bearish) to 1 (bullish);
    `assets` are separated by spaces. The service generates `simulated` headlines.
    """
    rows = ({**story, "assets": " ".join(story["assets"])} for story in document["headlines"])
    return HEADLINES.frame(rows, world=document["world"])
