"""A live world whose exchanges, on this machine, also list coins outside the seven."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from service.config import Settings
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from tests.jobs.live import LiveFeed
from tests.running_service import START
from tests.sources.conftest import ExchangeServer, ccxt_options

STEP = 300
AHEAD_S = 8 * DAY  # the exchanges already have the bars that the service will fetch later


@dataclass(frozen=True)
class LiveFeedWithCoins(LiveFeed):
    """The live world of the tests with the exchanges of its coins."""

    coins: Any = None


def open_coins(kraken: ExchangeServer, coinbase: ExchangeServer, timeout_s: float = 10) -> ExchangeFeed:
    settings = Settings(world="live", exchanges=("kraken", "coinbase"), source_timeout_s=timeout_s)
    feed = open_exchanges(settings, history_from=0, options=ccxt_options(kraken, coinbase))
    return replace(feed, now=lambda: START + 30 * DAY)


def fine_bars(days: int, price: float, seed: int = 7) -> Bars:
    """Bars of five minutes from so many days before the start of the service on, with the volatility of a coin."""
    times = np.arange((START - days * DAY) // HOUR * HOUR, START + AHEAD_S, STEP)
    moves = np.random.default_rng(seed).normal(0, 0.0018, len(times))
    close = price * np.exp(np.cumsum(moves) - moves.sum() * (times - times[0]) / (times[-1] - times[0]))
    opens = np.concatenate([[close[0]], close[:-1]])
    high, low = np.maximum(opens, close) * 1.0005, np.minimum(opens, close) * 0.9995
    return Bars(times, opens, high, low, close, np.full(len(times), 1000.0), step=STEP)


def offer(exchange: ExchangeServer, pair: str, bars: Bars, *, until: int = START + AHEAD_S) -> None:
    """Let an exchange list a pair with its bars that are complete at `until`."""
    exchange.bars[pair] = bars.until(until).rows()
    exchange.hours[pair] = resample(bars.until(until), HOUR).rows()
