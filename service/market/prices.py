"""The document of prices: the last price of each asset, its change in a day, and its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from service.documents import World
from service.market.assets import ASSETS, is_open
from service.market.bars import Bars
from service.market.headers import header
from service.market.instants import DAY, iso


@dataclass(frozen=True)
class AssetPrice:
    """One asset: the last close in USD, the 24 hours before it, and the end of its last bar."""

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
class PricesDocument:
    """The price of every asset of this world; `ended` is true when a replay has reached the end of its data.

    The fields of the header are repeated here because `ended` stands between them in JSON.
    """

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    ended: bool
    sources: dict[str, str]
    count: int
    prices: tuple[AssetPrice, ...]


def describe(
    bars: Mapping[str, Bars], *, made_at: int, world: World, ended: bool, sources: Mapping[str, str]
) -> PricesDocument:
    """The document from the last day of bars of each asset.

    `bars` maps an asset to its bars of at least the last 24 h, none of them empty; `made_at` is a unix second of world
    time; `sources` names the origin of the bars by asset.
    """
    prices = tuple(_price(asset, history, made_at, sources[asset]) for asset, history in bars.items())
    as_of = max(history.as_of for history in bars.values())
    step = max(history.step for history in bars.values())
    return PricesDocument(
        schema="prices/1",
        **vars(header(made_at, as_of, step=step, world=world, sources=sources)),
        ended=ended,
        count=len(prices),
        prices=prices,
    )


def _price(asset: str, bars: Bars, made_at: int, source: str) -> AssetPrice:
    last = float(bars.close[-1])
    day = bars.since(bars.as_of - DAY)
    return AssetPrice(
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
    """The change in percent since the last close at or before 24 h ago; None without one."""
    before = bars.until(bars.as_of - DAY)
    if not len(before):
        return None
    return round(100 * (float(bars.close[-1]) / float(before.close[-1]) - 1), 4)
