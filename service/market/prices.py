"""The document of prices, pages of bars as JSON and as a table, and exchange rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal

import numpy as np
from pydantic_core import to_json

from service.documents import World
from service.market.assets import ASSETS, AssetCode, asset_of, trades
from service.market.bars import Bar, Bars
from service.market.coverage import History, HistoryState
from service.market.headers import header
from service.market.instants import DAY, HOUR, MINUTE, iso, iso_all
from service.tabular import Table, columns_of


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
    last, day, before = float(bars.close[-1]), bars.since(bars.as_of - DAY), bars.until(bars.as_of - DAY)
    return AssetPrice(
        asset=asset,
        name=ASSETS[asset].name,
        price=last,
        change_24h_pct=round(100 * (last / float(before.close[-1]) - 1), 4) if len(before) else None,
        high_24h=float(np.max(day.high)),
        low_24h=float(np.min(day.low)),
        market_open=trades(asset, made_at, bars.as_of),
        as_of=iso(bars.as_of),
        source=source,
    )


# A page of bars is made column by column, because it has up to 10,000.
Interval = Literal["5m", "1h", "1d"]

STEPS: dict[Interval, int] = {"5m": 5 * MINUTE, "1h": HOUR, "1d": DAY}


@dataclass(frozen=True)
class Candle:
    """A bar: its beginning, its prices in USD, and its volume in the document's `volume_unit`."""

    time: str
    open: float
    high: float
    low: float
    close: float
    volume: float


@dataclass(frozen=True)
class CandlesDocument:
    """A page of bars of an asset, the oldest first; `next` is the cursor of the next page, null on the last.

    A bar is `step_s` seconds long. `source` is where the latest bars came from. `volume_unit` is the unit of the asset,
    in which its source counts: coins, or troy ounces of a metal.
    """

    schema: str
    world: World
    asset: AssetCode
    interval: Interval
    step_s: int
    source: str
    volume_unit: str
    count: int
    next: str | None
    bars: tuple[Candle, ...]


def candles_json(asset: str, interval: Interval, bars: Bars, *, world: World, source: str, next: str | None) -> bytes:
    """The CandlesDocument of these bars; `next` is the cursor of the next page."""
    header = {
        "schema": "candles/1",
        "world": world,
        "asset": asset,
        "interval": interval,
        "step_s": bars.step,
        "source": source,
        "volume_unit": asset_of(asset).unit or asset.upper(),
        "count": len(bars),
        "next": next,
    }
    columns = columns_of(Candle)
    return to_json(header | {"bars": [dict(zip(columns, row, strict=True)) for row in _rows(bars)]})


def candles_table(bars: Bars) -> Table:
    """The bars as a table; a replay can be made of its CSV file."""
    return Table(columns_of(Candle), _rows(bars))


def _rows(bars: Bars) -> Iterator[tuple]:
    """The values of each bar, its time in ISO 8601."""
    return zip(iso_all(bars.time), *(getattr(bars, name).tolist() for name in Bar._fields[1:]), strict=True)


# A rate that is older than this is not used.
FRESH_FOR = timedelta(hours=2)


@dataclass(frozen=True)
class Rate:
    """The USD price of one unit of a currency: quoted by `source` at the aware datetime `as_of`, or assumed (None)."""

    usd: float
    source: str = ""
    as_of: datetime | None = None

    def is_fresh(self, now: datetime) -> bool:
        """Whether the rate may be used at `now`; an assumed one always may."""
        return self.as_of is None or now - self.as_of <= FRESH_FOR


Rates = Mapping[str, Rate]
NO_RATES: Rates = MappingProxyType({})
# For worlds without a market of currencies, by their ISO codes.
ASSUMED_RATES: Rates = MappingProxyType({"EUR": Rate(1.084), "GBP": Rate(1.268), "JPY": Rate(0.0066)})
