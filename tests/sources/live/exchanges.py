"""Kraken, Coinbase and Binance on this machine: their answers, their limits and what goes wrong with them.

One server has all three under `/kraken`, `/coinbase` and `/binance`. The prices of a market are generated once; what an
exchange shows of it ends at `now`.
"""

from __future__ import annotations

import json
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from threading import Event, Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR
from tests.sources.conftest import ExchangeServer, JsonHandler, coinbase_routes, kraken_routes
from tests.sources.servers import Server

STEP = 300
PRICES = {"BTC": 97_000.0, "ETH": 3_300.0, "SOL": 180.0, "BNB": 850.0, "XRP": 2.2, "PAXG": 4_100.0}
COINBASE_STEPS = {"FIVE_MINUTE": STEP, "ONE_HOUR": HOUR}
RESTRICTION = b'{"code": 0, "msg": "Service unavailable from a restricted location according to \'b. Eligibility\'."}'


def market(base: str, since: int, until: int) -> Bars:
    """A walk of five-minute bars; the same for every exchange."""
    times = np.arange(since, until, STEP)
    moves = np.random.default_rng(zlib.crc32(base.encode())).normal(0, 0.001, len(times))
    close = np.round(PRICES[base] * np.exp(np.cumsum(moves - moves.mean())), 4)
    opens = np.concatenate([close[:1], close[:-1]])
    high, low = np.maximum(opens, close) * 1.0004, np.minimum(opens, close) * 0.9996
    return Bars(times, opens, np.round(high, 5), np.round(low, 5), close, np.full(len(times), 5.0), step=STEP)


@dataclass
class Exchanges:
    """Three exchanges that trade the same markets.

    `faults` answer in place of an exchange, by its name, as often as `spells` says (for ever where it says nothing).
    Where `is_limited`, Kraken refuses more than 20 requests in ten seconds. `requests` counts those to each exchange.
    """

    since: int
    until: int
    bases: tuple[str, ...] = tuple(PRICES)
    now: Callable[[], float] = time.time
    is_limited: bool = True
    faults: dict[str, Callable[[Handler], None]] = field(default_factory=dict)
    spells: dict[str, int] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    closing: Event = field(default_factory=Event)
    address: str = ""

    def __post_init__(self) -> None:
        self.markets = {base: market(base, self.since, self.until) for base in self.bases}
        self.hours = {base: resample(bars, HOUR) for base, bars in self.markets.items()}
        self._rows = {f"{base}/USD": bars.rows() for base, bars in self.markets.items()}
        self._hour_rows = {f"{base}/USD": bars.rows() for base, bars in self.hours.items()}
        self._calls: deque[float] = deque()
        self._lock = Lock()

    @property
    def entries(self) -> tuple[str, ...]:
        """What stands in EXCHANGES for them."""
        return tuple(f"{name}={self.address}/{name}" for name in ("kraken", "coinbase", "binance"))

    def at_present(self) -> ExchangeServer:
        """What each of the exchanges lists now: the bars with the one in progress."""
        return ExchangeServer(kraken_routes, self._rows, self._hour_rows, now=ceil(self.now()))

    def fault_of(self, exchange: str) -> Callable[[Handler], None] | None:
        """What answers in place of the exchange this time."""
        with self._lock:
            if exchange not in self.faults or self.spells.get(exchange, 1) < 1:
                return None
            self.spells[exchange] = self.spells.get(exchange, 2**40) - 1
            return self.faults[exchange]

    def is_too_much(self) -> bool:
        with self._lock:
            now = time.monotonic()
            self._calls.append(now)
            while self._calls[0] < now - 10:
                self._calls.popleft()
            return self.is_limited and len(self._calls) > 20


def kraken(server: Exchanges, path: str, query: dict[str, str]) -> tuple[int, object]:
    """As `kraken_routes`, within its limit."""
    if not path.endswith("/AssetPairs") and server.is_too_much():
        return 200, {"error": ["EGeneral:Too many requests"]}
    return 200, kraken_routes(server.at_present(), path, query)


def coinbase(server: Exchanges, path: str, query: dict[str, str]) -> tuple[int, object]:
    """As `coinbase_routes`, but not more than 350 bars."""
    if path.endswith("/candles"):
        count = (int(query["end"]) - int(query["start"])) // COINBASE_STEPS[query["granularity"]]
        if count > 350:
            return 400, {"error": "INVALID_ARGUMENT", "error_details": "number of candles should be less than 350"}
    return 200, coinbase_routes(server.at_present(), path, query)


ROUTES = {"kraken": kraken, "coinbase": coinbase}


class Handler(JsonHandler):
    exchange: Exchanges

    def answer(self) -> None:
        parts = urlsplit(self.path)
        name = parts.path.split("/")[1]
        self.exchange.requests[name] += 1
        if fault := self.exchange.fault_of(name):
            fault(self)
        elif name == "binance":
            self.reply(451, RESTRICTION)
        else:
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            status, content = ROUTES[name](self.exchange, parts.path, query)
            self.reply(status, json.dumps(content).encode())

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Their clock."""
        return super().date_time_string(self.exchange.now() if timestamp is None else timestamp)


@contextmanager
def trading(since: int, until: int, **options: Any) -> Iterator[Exchanges]:
    """The exchanges while the block runs, with the markets of a span."""
    exchanges = Exchanges(since - since % DAY, until + DAY, **options)
    with Server(Handler, exchange=exchanges) as server:
        exchanges.address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield exchanges
        finally:
            exchanges.closing.set()
