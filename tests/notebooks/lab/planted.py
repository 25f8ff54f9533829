"""A record with a planted law: after a day of rising prices bitcoin rises with 75%, else with 25%."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pandas as pd

from notebooks.lab import AskedQuestion, MarketRecord
from notebooks.lab.record import RecordedMarket

START = pd.Timestamp("2026-01-05", tz="UTC")  # a Monday
DAYS = 400
P_RISE = 0.75
DAY = timedelta(days=1)
VOTERS = ("momentum", "vol")


def planted_record(days: int = DAYS, seed: int = 9) -> MarketRecord:
    """A market on every day, up or down by the law; its two voters and the pool say 50%, or nearly."""
    generator = np.random.default_rng(seed)
    steps = generator.normal(0, 0.01, 24 * (days + 20))
    hours = pd.date_range(START - 10 * DAY, periods=len(steps), freq="h", unit="us")
    close = pd.Series(50_000 * np.exp(np.cumsum(steps)), index=hours)
    bars = pd.DataFrame({"close_usd": close, "asset": "btc"}).rename_axis("time")
    markets = [_market(bars, START + place * DAY, generator) for place in range(days)]
    return MarketRecord("simulated", tuple(markets), {"btc": bars})


def rises(bars: pd.DataFrame, instant: pd.Timestamp) -> bool:
    """Whether the last complete day rose."""
    closes = bars.loc[: instant - timedelta(hours=1), "close_usd"]
    return bool(closes.iloc[-1] > closes.iloc[-25])


def p_of_law(bars: pd.DataFrame, instant: pd.Timestamp) -> float:
    """The probability of a rise by the law."""
    return P_RISE if rises(bars, instant) else 1 - P_RISE


def _market(bars: pd.DataFrame, asked_at: pd.Timestamp, generator: np.random.Generator) -> RecordedMarket:
    votes = {voter: float(generator.uniform(0.45, 0.55)) for voter in VOTERS}
    words = {"text": "Will Bitcoin rise?", "asset": "btc", "comparator": "up", "category": "daily"}
    times = {"asked_at": asked_at, "deadline": asked_at + DAY, "horizon_h": 24.0}
    spot = float(bars["close_usd"].asof(asked_at))
    question = AskedQuestion(id=f"btc-up-{asked_at:%Y%m%d}", spot=spot, **words, **times)
    ballots = {"votes": votes, "weights": dict.fromkeys(votes, 1.0), "pool": float(np.mean(list(votes.values())))}
    outcome = {"happened": bool(generator.uniform() < p_of_law(bars, asked_at)), "resolved_at": asked_at + DAY}
    return RecordedMarket(question, **ballots, odds=0.5, odds_source="simulated", backfilled=True, **outcome)


def with_live_end(record: MarketRecord, live: int) -> MarketRecord:
    markets = list(record.markets)
    markets[-live:] = [replace(market, backfilled=False) for market in markets[-live:]]
    return replace(record, markets=tuple(markets))
