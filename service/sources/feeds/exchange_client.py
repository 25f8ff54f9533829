"""One exchange, asked through ccxt for the bars of one asset within a time it cannot overstay."""

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
PAGE = 300  # bars: what every exchange is willing to give in one answer
RESTS = 5  # times as long as an exchange was waited for in vain, it is not asked again
LONGEST_REASON = 200

# What stands for an asset on an exchange: the first of these that it lists.
SYMBOLS = {
    "btc": ("BTC/USD", "BTC/USDT"),
    "eth": ("ETH/USD", "ETH/USDT"),
    "sol": ("SOL/USD", "SOL/USDT"),
    "bnb": ("BNB/USD", "BNB/USDT"),
    "xrp": ("XRP/USD", "XRP/USDT"),
    "gold": ("XAU/USD", "PAXG/USD", "PAXG/USDT", "XAUT/USD", "XAUT/USDT"),
    "silver": ("XAG/USD", "XAG/USDT", "XAG/USDT:USDT", "KAG/USD", "KAG/USDT"),
}
# Words for those that are not the asset itself.
STAND_INS = {"PAXG": "tokenised gold", "XAUT": "tokenised gold", "KAG": "tokenised silver"}
PERPETUAL = "perpetual swap"


@dataclass
class Answer:
    """What an exchange has said so far: raw rows, the words for what they are, what went wrong.

    `source` is empty until the exchange has been seen to list the asset, `fault` while nothing is wrong.
    """

    rows: list[list[float | None]] = field(default_factory=list)
    source: str = ""
    fault: str = ""


class ExchangeClient:
    """An exchange by its name in ccxt; not to be asked by two threads at once.

    Each question is put by a thread of its own, which is left behind when its time is over. An exchange that
    kept somebody waiting is passed over for a while, and for as long as that thread hangs on: a dead host
    costs one deadline and not one for every asset.
    """

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        self.name = name
        self._session = BoundedSession()
        self._client = _ccxt_client(name, {"session": self._session, **options})
        self._worker = Thread()
        self._rests_until = 0.0

    def ask(self, asset: str, since: int, until: int, seconds: float) -> Answer:
        """The bars of `asset` from `since` up to and without `until`, unix seconds, as far as `seconds` suffice.

        Whatever goes wrong is told in the answer, beside the rows that came before it.
        """
        started = time.monotonic()
        if started < self._rests_until or self._worker.is_alive():
            return Answer(fault="it did not answer in time a moment ago")
        answer = Answer()
        deadline = self._session.deadline = started + seconds
        self._worker = Thread(target=self._work, args=(answer, asset, since, until), daemon=True)
        self._worker.start()
        self._worker.join(seconds)
        if not self._worker.is_alive() and time.monotonic() < deadline:
            return answer
        self._rests_until = deadline + RESTS * seconds
        return Answer(list(answer.rows), answer.source, f"no whole answer within {seconds:.1f} s")

    def _work(self, answer: Answer, asset: str, since: int, until: int) -> None:
        try:
            symbol = self._symbol(asset)
            if not symbol:
                return
            answer.source = f"{self.name} {symbol}{_stand_in(symbol)}"
            for page in self._pages(symbol, since, until):
                answer.rows.extend(page)
        # A malformed answer can break the parser of an exchange in any way, and the next one is to be asked.
        except Exception as error:
            answer.fault = _in_words(error)

    def _symbol(self, asset: str) -> str:
        """The first of the asset's symbols that is traded here, empty when none is."""
        markets = self._client.load_markets()
        if not markets:
            raise ccxt.BadResponse("it lists no markets at all")
        traded = (symbol for symbol in SYMBOLS[asset] if symbol in markets and markets[symbol]["active"] is not False)
        return next(traded, "")

    def _pages(self, symbol: str, since: int, until: int) -> Iterator[list[list[float | None]]]:
        """Answers of at most PAGE rows of (unix second, open, high, low, close, volume), one after the other.

        A full page goes on behind its last bar; a short one held all there is in its window.
        """
        start = since
        while start < until:
            count = min(PAGE, (until - start) // STEP)
            raw = self._client.fetch_ohlcv(symbol, TIMEFRAME, since=start * 1000, limit=count)
            page = [[time_ms / 1000, *rest] for time_ms, *rest in raw]
            yield page
            start += count * STEP
            if len(page) == count:
                start = max(start, int(page[-1][0]) + STEP)


def _ccxt_client(name: str, options: Mapping[str, object]) -> ccxt.Exchange:
    if name not in ccxt.exchanges:
        raise SettingsError(f"EXCHANGES: ccxt knows no exchange called {name!r}")
    # Bars need no list of currencies, and it is one more answer that could fail.
    client = getattr(ccxt, name)({"has": {"fetchCurrencies": False}, **options})
    if not client.has.get("fetchOHLCV") or TIMEFRAME not in (client.timeframes or {}):
        raise SettingsError(f"EXCHANGES: {name} gives no {TIMEFRAME} bars")
    return client


def _in_words(error: Exception) -> str:
    """What went wrong: the error beneath where there is one, since ccxt's own words may leave out the status."""
    words = f"{type(error).__name__}: {error.__context__ or error}".split()
    return " ".join(words)[:LONGEST_REASON]


def _stand_in(symbol: str) -> str:
    """The words for a symbol that is not the asset itself, empty where it is."""
    words = [STAND_INS.get(symbol.partition("/")[0]), PERPETUAL if ":" in symbol else None]
    told = ", ".join(word for word in words if word)
    return f" ({told})" if told else ""
