"""A question asked at 10:00 that ends at 12:00, and the bars that decide it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.forecasting.predictions.resolution import Resolution, resolve
from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Question

STEP = 300
ASKED_AT = 1_741_600_800  # Monday 2025-03-10T10:00:00Z
DEADLINE = ASKED_AT + 2 * HOUR
LATER = DEADLINE + 60
MUCH_LATER = DEADLINE + DAY


def bars(asset: str = "btc", since: int = ASKED_AT - HOUR, until: int = ASKED_AT + 4 * HOUR, **prices: float) -> Bars:
    """Five-minute bars at 100 but for `prices`: minutes after ASKED_AT at which a bar opens, as "m30": price."""
    time = np.arange(since, until, STEP)
    time = time[open_at(asset, time)]
    flat = np.full(len(time), 100.0)
    rows = Bars(time, flat.copy(), flat + 0.5, flat - 0.5, flat.copy(), flat, STEP)
    for minute, price in prices.items():
        at = np.searchsorted(time, ASKED_AT + 60 * int(minute[1:]))
        rows.close[at] = price
        rows.high[at], rows.low[at] = max(rows.high[at], price), min(rows.low[at], price)
    return rows


def without(rows: Bars, since: int, until: int) -> Bars:
    mask = (rows.time < since) | (rows.time >= until)
    return Bars(*(getattr(rows, name)[mask] for name in ("time", "open", "high", "low", "close", "volume")), step=STEP)


def question(comparator: str = "close_above", level: float | None = 101.0, **fields) -> Question:
    plain = Question(
        text="?",
        asset="btc",
        comparator=comparator,
        deadline=utc(DEADLINE),
        horizon_hours=2.0,
        spot=100.0,
        polarity="bull",
        level=level,
    )
    return replace(plain, **fields)


def outcome(question: Question, bars: Bars, now: int = LATER, **others: Bars) -> str | None:
    resolution = resolve(question, ASKED_AT, {question.asset: bars, **others}, now)
    return resolution and resolution.outcome


def settled(comparator: str, bars: Bars, now: int = LATER, **fields) -> Resolution | None:
    return resolve(question(comparator, **fields), ASKED_AT, {"btc": bars}, now)


LAST = "m115"  # the bar from 11:55 to 12:00, the deadline
