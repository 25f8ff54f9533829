"""Prices, bars and headlines as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import (
    COUNT,
    FLAG,
    INSTANT,
    NUMBER,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    Pages,
    pages_of,
)

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
OHLC = ("open", "high", "low", "close")
CANDLES = FrameSchema(
    {"time": INSTANT},
    {
        "asset": TEXT,
        "step_s": COUNT,
        **{f"{name}_usd": NUMBER for name in OHLC},
        "volume": NUMBER,
        "volume_unit": TEXT,
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


def candles(source: Pages) -> pd.DataFrame:
    """The bars of an asset, or of several.

    Parameters
    ----------
    source : a page of `client.candles(asset, interval)`, or several pages; `Archive.candles` downloads all of them

    Returns
    -------
    One row per bar, index `time`, the UTC instant at which it opens, the oldest first. A bar is `step_s` seconds long,
    its prices are USD, its `volume` is in `volume_unit`.
    """
    constants = ("asset", "step_s", "volume_unit", "source", "world")
    return CANDLES.frame(
        {**bar, **{f"{name}_usd": bar[name] for name in OHLC}, **{name: page[name] for name in constants}}
        for page in pages_of(source)
        for bar in page["bars"]
    )


def as_ohlcv(bars: pd.DataFrame) -> pd.DataFrame:
    """Bars as quantstats, vectorbt and other libraries read them.

    Parameters
    ----------
    bars : what `candles` returns, of one asset

    Returns
    -------
    The columns `Open`, `High`, `Low`, `Close` (USD) and `Volume`; index `time`, in UTC without a zone.
    """
    columns = {**{f"{name}_usd": name.title() for name in OHLC}, "volume": "Volume"}
    return pd.DataFrame(bars.rename(columns=columns), columns=[*columns.values()]).tz_convert(None)


def headlines(source: Pages) -> pd.DataFrame:
    """Headlines with their tone.

    Parameters
    ----------
    source : the response of `client.news()`, a page of `client.headlines()`, or several pages; `Archive.headlines`
        downloads all of them

    Returns
    -------
    One row per headline, index `published_at`, UTC, which may repeat. `score` is the tone, -1 (bearish) to 1 (bullish);
    `assets` are separated by spaces. The service generates `simulated` headlines.
    """
    return HEADLINES.frame(
        {**story, "assets": " ".join(story["assets"]), "world": page["world"]}
        for page in pages_of(source)
        for story in page["headlines"]
    )
