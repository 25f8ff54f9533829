"""Holding bitcoin since the lanes started: the benchmark beside their gain."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pandas as pd

from notebooks.widgets.base.curves import instants, values
from notebooks.widgets.base.wording import Document, moment
from service.client import Client, NotFound

ASSET = "btc"
INTERVAL = "1h"
MOST = 10_000  # bars in one answer: more than a year


class HoldingBenchmark:
    """The bars of bitcoin in a window, and its price when the lanes started."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._entry_price: float | None = None

    def fetch(self, lane: str, since: str) -> dict[str, Any] | None:
        """The bars from an instant on, with the price at the first bar of a lane.

        None while there is no bar, and in a world without bitcoin.
        """
        try:
            self._entry_price = self._entry_price or self._price_at_start(lane)
            bars = self._client.candles(ASSET, INTERVAL, since=since, limit=MOST)
        except NotFound:
            return None
        return {**bars, "entry_price": self._entry_price} if self._entry_price and bars["bars"] else None

    def _price_at_start(self, lane: str) -> float | None:
        """The price at the beginning of the hour in which a lane started; None before its first bar."""
        points = self._client.lane_equity(lane, limit=1)["points"]
        if not points:
            return None
        # An instant says when a bar was complete: the hour before it is the one in which the lane started.
        hour = (moment(points[0]["time"]) - timedelta(seconds=1)).replace(minute=0, second=0)
        bars = self._client.candles(ASSET, INTERVAL, since=hour.isoformat(), limit=1)["bars"]
        return bars[0]["open"] if bars else None


def gain_of(bars: Document | None) -> pd.Series | None:
    """The gain since the start in percent, by the instants at which the bars were complete."""
    if bars is None:
        return None
    times = instants(bars["bars"]) + pd.Timedelta(seconds=bars["step_s"])
    return pd.Series(100 * (values(bars["bars"], "close") / bars["entry_price"] - 1), times)
