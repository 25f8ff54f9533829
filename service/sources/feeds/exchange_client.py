"""A client of one exchange that uses ccxt, with a hard time limit for the bars of one asset."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Thread

import ccxt

from service.config import SettingsError
from service.market.instants import MINUTE
from service.sources.bounded_session import BoundedSession

STEP = 5 * MINUTE
TIMEFRAME = "5m"
PAGE = 300  # bars in one response, which every exchange supports
RESTS = 5  # an exchange that times out is skipped for this multiple of the time limit
LONGEST_REASON = 200

# The symbols of an asset on an exchange, in order of preference.
SYMBOLS = {
    "btc": ("BTC/USD", "BTC/USDT"),
    "eth": ("ETH/USD", "ETH/USDT"),
    "sol": ("SOL/USD", "SOL/USDT"),
    "bnb": ("BNB/USD", "BNB/USDT"),
    "xrp": ("XRP/USD", "XRP/USDT"),
    "gold": ("XAU/USD", "PAXG/USD", "PAXG/USDT", "XAUT/USD", "XAUT/USDT"),
    "silver": ("XAG/USD", "XAG/USDT", "XAG/USDT:USDT", "KAG/USD", "KAG/USDT"),
}
# Descriptions of symbols that only track the asset.
STAND_INS = {"PAXG": "tokenised gold", "XAUT": "tokenised gold", "KAG": "tokenised silver"}
PERPETUAL = "perpetual swap"


@dataclass
class ExchangeResponse:
    """The response of an exchange so far: raw rows, a description of their `source`, and the `fault`.

    `source` is empty until the exchange is known to list the asset; `fault` is empty unless an error occurred.
    """

    rows: list[list[float | None]] = field(default_factory=list)
    source: str = ""
    fault: str = ""


class ExchangeClient:
    """An exchange by its name in ccxt; not safe for concurrent use.

    Each request runs in a thread of its own, which is abandoned at the deadline. After a timeout the exchange is
    skipped for a while, and as long as the abandoned thread runs. So an unreachable host costs one time limit, not
    one for every asset.
    """

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        self.name = name
        self._session = BoundedSession()
        self._client = _ccxt_client(name, {"session": self._session, **options})
        self._worker = Thread()
        self._rests_until = 0.0

    def ask(self, asset: str, since: int, until: int, seconds: float) -> ExchangeResponse:
        """The bars of `asset` from `since` up to but excluding `until` (unix seconds) that arrive within `seconds`.

        Does not raise: an error is the `fault` of the response, which still holds the rows received before it.
        """
        started = time.monotonic()
        if started < self._rests_until or self._worker.is_alive():
            return ExchangeResponse(fault="it recently exceeded its time limit")
        answer = ExchangeResponse()
        deadline = self._session.deadline = started + seconds
        self._worker = Thread(target=self._work, args=(answer, asset, since, until), daemon=True)
        self._worker.start()
        self._worker.join(seconds)
        if not self._worker.is_alive() and time.monotonic() < deadline:
            return answer
        self._rests_until = deadline + RESTS * seconds
        return ExchangeResponse(list(answer.rows), answer.source, f"no complete response within {seconds:.1f} s")

    def _work(self, answer: ExchangeResponse, asset: str, since: int, until: int) -> None:
        try:
            symbol = self._symbol(asset)
            if not symbol:
                return
            answer.source = f"{self.name} {symbol}{_stand_in(symbol)}"
            for page in self._pages(symbol, since, until):
                answer.rows.extend(page)
        # A malformed response can raise any exception in ccxt, and the next exchange must still be tried.
        except Exception as error:
            answer.fault = _in_words(error)

    def _symbol(self, asset: str) -> str:
        """The first of the asset's symbols that is traded on this exchange; empty if there is none."""
        markets = self._client.load_markets()
        if not markets:
            raise ccxt.BadResponse("it lists no markets")
        traded = (symbol for symbol in SYMBOLS[asset] if symbol in markets and markets[symbol]["active"] is not False)
        return next(traded, "")

    def _pages(self, symbol: str, since: int, until: int) -> Iterator[list[list[float | None]]]:
        """Pages of at most PAGE rows of (unix second, open, high, low, close, volume), in order of time.

        After a full page the next one begins after its last bar. A short page holds all bars of its window.
        """
        start = since
        while start < until:
            count = min(PAGE, (until - start) // STEP)
            raw = self._client.fetch_ohlcv(symbol, TIMEFRAME, since=start * 1000, limit=count)
            page = [[time_ms / 1000, *values] for time_ms, *values in raw]
            yield page
            start += count * STEP
            if len(page) == count:
                start = max(start, int(page[-1][0]) + STEP)


def _ccxt_client(name: str, options: Mapping[str, object]) -> ccxt.Exchange:
    if name not in ccxt.exchanges:
        raise SettingsError(f"EXCHANGES: ccxt has no exchange called {name!r}")
    # Bars do not need the list of currencies, which would be one more request that could fail.
    client = getattr(ccxt, name)({"has": {"fetchCurrencies": False}, **options})
    if not client.has.get("fetchOHLCV") or TIMEFRAME not in (client.timeframes or {}):
        raise SettingsError(f"EXCHANGES: {name} has no {TIMEFRAME} bars")
    return client


def _in_words(error: Exception) -> str:
    """A description of an error; its cause is preferred, because the message of ccxt may omit the status."""
    words = f"{type(error).__name__}: {error.__context__ or error}".split()
    return " ".join(words)[:LONGEST_REASON]


def _stand_in(symbol: str) -> str:
    """The description of a symbol that only tracks the asset; empty for the asset itself."""
    words = [STAND_INS.get(symbol.partition("/")[0]), PERPETUAL if ":" in symbol else None]
    note = ", ".join(word for word in words if word)
    return f" ({note})" if note else ""
