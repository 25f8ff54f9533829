"""What tests of questions share: an instant, prices, and questions built from their fields."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np

from service.market.assets import open_at
from service.market.bars import Bars, PriceExtremes
from service.market.instants import DAY, HOUR, utc
from service.market.prices import ASSUMED_RATES
from service.questions.question import Question

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)  # a Saturday
SPOTS = {
    "btc": 94075.9,
    "eth": 1794.58,
    "sol": 147.04,
    "bnb": 598.68,
    "xrp": 2.1929,
    "gold": 3282.8,
    "silver": 32.835,
}
RATES = ASSUMED_RATES


HISTORY_DAYS = 400


class WaveHistory:
    """Hourly bars of 400 days up to NOW: waves of 100 days around the present price, 10% up and down."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        return _waves(asset).since(int(since.timestamp()))

    def record(self, asset: str) -> PriceExtremes:
        bars = _waves(asset)
        return PriceExtremes(asset, float(bars.high.max()), float(bars.low.min()), utc(int(bars.time[0])))


@cache
def _waves(asset: str) -> Bars:
    now = int(NOW.timestamp())
    time = np.arange(now - HISTORY_DAYS * DAY, now, HOUR)
    time = time[open_at(asset, time)]
    close = SPOTS[asset] * (1 + 0.1 * np.sin(2 * np.pi * (time + HOUR - now) / (100 * DAY)))
    return Bars(time, close, close * 1.001, close * 0.999, close, np.ones(len(time)), HOUR)


HISTORY = WaveHistory()


def question(**fields: Any) -> Question:
    """A question about Bitcoin with a deadline in a day, but for the fields that are named."""
    base = Question(
        text="raw text",
        asset="btc",
        comparator="up",
        deadline=NOW + timedelta(days=1),
        horizon_hours=24.0,
        spot=94075.9,
        polarity="bull",
    )
    return replace(base, **fields)


def meaning(question: Question) -> Question:
    """The question without its wording: the text, the notes, and the percentages that levels were computed from."""
    is_size = question.level is None
    legs = tuple(leg if leg.level is None else replace(leg, level_pct=None) for leg in question.legs)
    return replace(question, text="", notes=(), legs=legs, level_pct=question.level_pct if is_size else None)
