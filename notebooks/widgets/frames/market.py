"""Prices, bars and headlines as frames."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

PRICES = FrameSchema.of(
    "asset:text", "name:text price change_24h_pct high_24h low_24h market_open:flag as_of:time source:text world:world"
)
OHLC = ("open", "high", "low", "close")
CANDLES = FrameSchema.of(
    "time:time",
    "asset:text step_s:count open_usd high_usd low_usd close_usd volume volume_unit:text source:text world:world",
)
HEADLINES = FrameSchema.of(
    "published_at:time", "title:text source:text url:text score assets:text simulated:flag world:world"
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
