"""The document that says what each asset costs, what it did in a day, and how old that knowledge is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from service.market.assets import ASSETS, is_open
from service.market.bars import Bars
from service.market.clock import World
from service.market.instants import DAY, iso

# A document is stale once this many bars in a row have not come.
MISSED_BARS = 3


@dataclass(frozen=True)
class Price:
    """One asset: the last close in USD, the day before it, and the instant it was seen at."""

    asset: str
    name: str
    price: float
    change_24h_pct: float | None
    high_24h: float
    low_24h: float
    market_open: bool
    as_of: str
    source: str


@dataclass(frozen=True)
class Prices:
    """What every asset of this world costs; `ended` says that this world's data has run out."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    ended: bool
    sources: dict[str, str]
    count: int
    prices: tuple[Price, ...]


def describe(
    bars: Mapping[str, Bars], *, made_at: int, world: World, ended: bool, sources: Mapping[str, str]
) -> Prices:
    """The document from the last day of bars of each asset.

    `bars` maps an asset to its bars of at least the last 24 h, none of them empty; `made_at` is a unix
    second of world time; `sources` maps an asset to the words that name where its bars came from.
    """
    prices = tuple(_price(asset, known, made_at, sources[asset]) for asset, known in bars.items())
    as_of = max(known.as_of for known in bars.values())
    step = max(known.step for known in bars.values())
    return Prices(
        schema="prices/1",
        timestamp=iso(made_at),
        as_of=iso(as_of),
        stale_after=iso(as_of + MISSED_BARS * step),
        world=world,
        ended=ended,
        sources=dict(sources),
        count=len(prices),
        prices=prices,
    )


def _price(asset: str, bars: Bars, made_at: int, source: str) -> Price:
    last = float(bars.close[-1])
    day = bars.since(bars.as_of - DAY)
    return Price(
        asset=asset,
        name=ASSETS[asset].name,
        price=last,
        change_24h_pct=_change_pct(bars),
        high_24h=float(np.max(day.high)),
        low_24h=float(np.min(day.low)),
        market_open=is_open(asset, made_at),
        as_of=iso(bars.as_of),
        source=source,
    )


def _change_pct(bars: Bars) -> float | None:
    """Percent from the last close at or before 24 h ago to the last close; None when there is none."""
    before = bars.until(bars.as_of - DAY)
    if not len(before):
        return None
    return round(100 * (float(bars.close[-1]) / float(before.close[-1]) - 1), 4)
