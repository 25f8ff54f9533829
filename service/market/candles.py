"""Pages of bars as JSON and as a table, made column by column: a page has up to 10,000 bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic_core import to_json

from service.documents import World
from service.market.assets import AssetCode, asset_of
from service.market.bars import Bar, Bars
from service.market.instants import DAY, HOUR, MINUTE, iso_all
from service.tabular import Table, columns_of

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
    rows = [
        {"time": time, "open": open, "high": high, "low": low, "close": close, "volume": volume}
        for time, open, high, low, close, volume in _rows(bars)
    ]
    return to_json(header | {"bars": rows})


def candles_table(bars: Bars) -> Table:
    """The bars as a table; a replay can be made of its CSV file."""
    return Table(columns_of(Candle), _rows(bars))


def _rows(bars: Bars) -> Iterator[tuple]:
    """The values of each bar, its time in ISO 8601."""
    return zip(iso_all(bars.time), *(getattr(bars, name).tolist() for name in Bar._fields[1:]), strict=True)
