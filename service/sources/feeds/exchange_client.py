"""A client of one exchange that uses ccxt, with a hard time limit for the bars of one asset."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import ccxt

from service.config import SettingsError
from service.market.assets import ASSETS, COIN_KEY
from service.market.instants import HOUR, MINUTE
from service.sources.bounded_session import BoundedSession

STEP = 5 * MINUTE
TIMEFRAMES = {STEP: "5m", HOUR: "1h"}
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
# The symbols of a currency: a pair with the dollar or a dollar coin, else its price of Bitcoin.
RATE_SYMBOLS = {
    "EUR": ("EUR/USD", "EUR/USDT", "EUR/USDC", "BTC/EUR"),
    "GBP": ("GBP/USD", "GBP/USDT", "GBP/USDC", "BTC/GBP"),
    "JPY": ("USD/JPY", "USDT/JPY", "USDC/JPY", "BTC/JPY"),
}
# Descriptions of symbols that only track the asset.
STAND_INS = {"PAXG": "tokenised gold", "XAUT": "tokenised gold", "KAG": "tokenised silver"}
PERPETUAL = "perpetual swap"
# The quote currencies of a coin outside the seven, in order of preference.
QUOTES = ("USD", "USDT", "USDC")
# What is no coin of its own: the seven, what tracks them, currencies, and coins that are meant to stay at a price.
EXCLUDED = {
    *ASSETS,
    "xbt", "wbtc", "cbbtc", "tbtc", "weth", "steth", "wsteth", "reth", "cbeth", "wsol", "jitosol", "msol", "bsol",
    "bnsol", "wbnb", "paxg", "xaut", "kag", "xau", "xag", "usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "nzd",
    "try", "brl", "uah", "zar", "mxn", "ars", "pln", "czk", "ron", "sgd", "hkd", "krw", "idr", "inr", "aed", "usdt",
    "usdc", "usdd", "usde", "usds", "usdp", "usdg", "usdq", "usdr", "usd1", "dai", "tusd", "busd", "fdusd", "pyusd",
    "rlusd", "gusd", "lusd", "susd", "frax", "eurc", "eurt", "eurs", "euri", "eurr", "eurq", "eurcv", "euroc", "gbpt",
    "xsgd", "bfusd", "xusd", "ust", "ustc",
}  # fmt: skip


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

    def ask(self, symbols: Sequence[str], since: int, until: int, seconds: float, step: int = STEP) -> ExchangeResponse:
        """The bars of the first traded symbol, `step` seconds long, that arrive within `seconds`.

        They open at or after `since` and before `until`, both unix seconds. Does not raise: an error is the `fault` of
        the response, which still holds the rows received before it.
        """
        return self._within(seconds, lambda answer: self._load(answer, symbols, since, until, step))

    def list_coins(self, seconds: float) -> tuple[frozenset[str], str]:
        """The keys of the coins outside the seven that are traded here, and the fault if that could not be read."""
        keys: set[str] = set()
        answer = self._within(seconds, lambda _: keys.update(self._coins()))
        return frozenset() if answer.fault else frozenset(keys), answer.fault

    def _within(self, seconds: float, work: Callable[[ExchangeResponse], None]) -> ExchangeResponse:
        started = time.monotonic()
        if started < self._rests_until or self._worker.is_alive():
            return ExchangeResponse(fault="it recently exceeded its time limit")
        answer = ExchangeResponse()
        deadline = self._session.deadline = started + seconds
        self._worker = Thread(target=self._work, args=(answer, work), daemon=True)
        self._worker.start()
        self._worker.join(seconds)
        if not self._worker.is_alive() and time.monotonic() < deadline:
            return answer
        self._rests_until = deadline + RESTS * seconds
        return ExchangeResponse(list(answer.rows), answer.source, f"no complete response within {seconds:.1f} s")

    def _work(self, answer: ExchangeResponse, work: Callable[[ExchangeResponse], None]) -> None:
        try:
            work(answer)
        # A malformed response can raise any exception in ccxt, and the next exchange must still be tried.
        except Exception as error:
            answer.fault = _in_words(error)

    def _load(self, answer: ExchangeResponse, symbols: Sequence[str], since: int, until: int, step: int) -> None:
        markets = self._markets()
        symbol = next((symbol for symbol in symbols if _is_traded(markets.get(symbol))), "")
        if not symbol:
            return
        answer.source = f"{self.name} {symbol}{_stand_in(symbol)}"
        for page in self._pages(symbol, since, until, step):
            answer.rows.extend(page)

    def _coins(self) -> Iterator[str]:
        for symbol, market in self._markets(is_new=True).items():
            base, _, quote = symbol.partition("/")
            key = base.lower()
            if quote in QUOTES and _is_traded(market) and COIN_KEY.fullmatch(key) and key not in EXCLUDED:
                yield key

    def _markets(self, *, is_new: bool = False) -> dict[str, Any]:
        markets = self._client.load_markets(is_new)
        if not markets:
            raise ccxt.BadResponse("it lists no markets")
        return markets

    def _pages(self, symbol: str, since: int, until: int, step: int) -> Iterator[list[list[float | None]]]:
        """Pages of at most PAGE rows of (unix second, open, high, low, close, volume), in order of time.

        After a full page the next one begins after its last bar. A short page holds all bars of its window.
        """
        start = since
        while start < until:
            count = min(PAGE, (until - start) // step)
            raw = self._client.fetch_ohlcv(symbol, TIMEFRAMES[step], since=start * 1000, limit=count)
            page = [[time_ms / 1000, *values] for time_ms, *values in raw]
            yield page
            start += count * step
            if len(page) == count:
                start = max(start, int(page[-1][0]) + step)


def _ccxt_client(name: str, options: Mapping[str, object]) -> ccxt.Exchange:
    if name not in ccxt.exchanges:
        raise SettingsError(f"EXCHANGES: ccxt has no exchange called {name!r}")
    # Bars do not need the list of currencies, which would be one more request that could fail.
    client = getattr(ccxt, name)({"has": {"fetchCurrencies": False}, **options})
    if not client.has.get("fetchOHLCV") or TIMEFRAMES[STEP] not in (client.timeframes or {}):
        raise SettingsError(f"EXCHANGES: {name} has no {TIMEFRAMES[STEP]} bars")
    return client


def coin_symbols(key: str) -> tuple[str, ...]:
    """The symbols of a coin outside the seven, in order of preference."""
    return tuple(f"{key.upper()}/{quote}" for quote in QUOTES)


def _is_traded(market: Mapping[str, Any] | None) -> bool:
    return market is not None and market["active"] is not False


def _in_words(error: Exception) -> str:
    """A description of an error; its cause is preferred, because the message of ccxt may omit the status."""
    words = f"{type(error).__name__}: {error.__context__ or error}".split()
    return " ".join(words)[:LONGEST_REASON]


def _stand_in(symbol: str) -> str:
    """The description of a symbol that only tracks the asset; empty for the asset itself."""
    words = [STAND_INS.get(symbol.partition("/")[0]), PERPETUAL if ":" in symbol else None]
    note = ", ".join(word for word in words if word)
    return f" ({note})" if note else ""
