"""The document of prices: the last price of each asset, its change in a day, and its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from service.documents import World
from service.market.assets import ASSETS, is_open
from service.market.bars import Bars
from service.market.coverage import History, HistoryState
from service.market.headers import header
from service.market.instants import DAY, iso


@dataclass(frozen=True)
class AssetHistory:
    """Hourly bars of an asset without a gap up to its last one: `days` of the `wanted_days`, from `since` on.

    It is `complete` also where no source has more, or where a source has failed for an hour (`detail` says so);
    `arriving`, with the time left in `detail`; `failing`, with the fault; or `absent`, where no source has the asset.
    """

    state: HistoryState
    since: str | None
    days: float
    wanted_days: float
    detail: str


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

    `histories` say of each asset how much of its past is stored, or why this world does not have it.

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
    histories: dict[str, AssetHistory] = field(default_factory=dict)  # absent in documents of earlier versions


def describe(
    bars: Mapping[str, Bars],
    histories: Mapping[str, History],
    *,
    made_at: int,
    world: World,
    ended: bool,
    sources: Mapping[str, str],
) -> PricesDocument:
    """The document from the last day of bars of each asset, and from what is known of its history.

    `bars` maps an asset to its bars of at least the last 24 h, none of them empty; `made_at` is a unix second of world
    time; `sources` names the origin of the bars by asset.
    """
    prices = tuple(_price(asset, last_day, made_at, sources[asset]) for asset, last_day in bars.items())
    as_of = max(history.as_of for history in bars.values())
    step = max(history.step for history in bars.values())
    return PricesDocument(
        schema="prices/1",
        **vars(header(made_at, as_of, step=step, world=world, sources=sources)),
        ended=ended,
        count=len(prices),
        prices=prices,
        histories={asset: describe_history(history) for asset, history in histories.items()},
    )


def describe_history(history: History) -> AssetHistory:
    """How much of the history of an asset is stored, as it is published."""
    return AssetHistory(
        state=history.state,
        since=None if history.since is None else iso(history.since),
        days=round(history.days, 2),
        wanted_days=round(history.wanted_s / DAY, 2),
        detail=history.sentence,
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
