"""Prices and headlines as frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import CLAIM, INSTANT, NUMBER, TEXT, WORLD, Table

PRICES = Table(
    {"asset": TEXT},
    {
        "name": TEXT,
        "price": NUMBER,
        "change_24h_pct": NUMBER,
        "high_24h": NUMBER,
        "low_24h": NUMBER,
        "market_open": CLAIM,
        "as_of": INSTANT,
        "source": TEXT,
        "world": WORLD,
    },
)
HEADLINES = Table(
    {"published_at": INSTANT},
    {
        "title": TEXT,
        "source": TEXT,
        "url": TEXT,
        "score": NUMBER,
        "assets": TEXT,
        "simulated": CLAIM,
        "world": WORLD,
    },
)


def prices(document: Mapping[str, Any]) -> pd.DataFrame:
    """What every asset costs.

    Parameters
    ----------
    document : that of `client.prices()`

    Returns
    -------
    One row an asset, index `asset`. Prices are USD, those of the day are of the last 24 hours; each is `as_of` an
    instant of its own.
    """
    return PRICES.frame(document["prices"], world=document["world"])


def headlines(document: Mapping[str, Any]) -> pd.DataFrame:
    """The stories behind the news pulse.

    Parameters
    ----------
    document : that of `client.news()`

    Returns
    -------
    Index `published_at`, UTC, which may repeat. `score` is the tone, -1 bearish to 1 bullish; `assets`
    are divided by blanks. A `simulated` story was written by the service.
    """
    rows = ({**story, "assets": " ".join(story["assets"])} for story in document["headlines"])
    return HEADLINES.frame(rows, world=document["world"])
