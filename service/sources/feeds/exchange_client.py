"""Clients of one source each: an exchange, by ccxt and with a hard time limit, or a folder that answers as one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import ccxt
import requests

from service.bar_files import BarFile, content_of, find_files, read_files
from service.config import SettingsError
from service.market.assets import ASSETS, COIN_KEY
from service.market.bars import LONGEST_SILENCE_S, RefusedBar, check, resample
from service.market.instants import DAY, HOUR, MINUTE
from service.sources.sessions import BoundedSession

STEP = 5 * MINUTE
TIMEFRAMES = {STEP: "5m", HOUR: "1h"}
PAGE = 300  # bars in one response, where ccxt knows of no other number
RESTS = 5  # an exchange that times out is skipped for this multiple of the time limit
REFUSED_REST_S = 10 * MINUTE  # for which an exchange that refuses this country or network is skipped
LONGEST_REASON = 120
# What an answer that stays the same until the operator acts says of its reason; 451 needs no words.
RESTRICTION = re.compile(r"countr|region|restricted|location", re.IGNORECASE)
REFUSAL = "it does not serve this country or network ({status}): take it out of EXCHANGES or set SOURCE_PROXY"
# What a passing fault is called, by a word in the name of its ccxt class.
FAULTS = {
    "RateLimit": "it was asked too often",
    "DDoS": "it was asked too often",
    "Timeout": "no complete response in time",
    "Maintenance": "it is under maintenance",
    "NotAvailable": "it does not answer",
    "Network": "it could not be reached",
}

# The symbols of a currency: a pair with the dollar or a dollar coin, else its price of Bitcoin.
RATE_SYMBOLS = {
    "EUR": ("EUR/USD", "EUR/USDT", "EUR/USDC", "BTC/EUR"),
    "GBP": ("GBP/USD", "GBP/USDT", "GBP/USDC", "BTC/GBP"),
    "JPY": ("USD/JPY", "USDT/JPY", "USDC/JPY", "BTC/JPY"),
}
# Descriptions of symbols that only track the asset.
STAND_INS = {base: f"tokenised {asset.name.lower()}" for asset in ASSETS.values() for base in asset.stand_ins}
# The quote currencies of another coin, in order of preference.
QUOTES = ("USD", "USDT", "USDC")
# What is no coin of its own: the assets, what tracks them, currencies, and coins that are meant to stay at a price.
NO_COINS = {
    *ASSETS, *(ticker for asset in ASSETS.values() for ticker in asset.tokens),
    "usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "nzd", "try", "brl", "uah", "zar", "mxn", "ars", "pln", "czk",
    "ron", "sgd", "hkd", "krw", "idr", "inr", "aed", "usdt", "usdc", "usdd", "usde", "usds", "usdp", "usdg", "usdq",
    "usdr", "usd1", "dai", "tusd", "busd", "fdusd", "pyusd", "rlusd", "gusd", "lusd", "susd", "frax", "eurc", "eurt",
    "eurs", "euri", "eurr", "eurq", "eurcv", "euroc", "gbpt", "xsgd", "bfusd", "xusd", "ust", "ustc",
}  # fmt: skip


class Request(NamedTuple):
    """The bars to ask for: their asset, its symbols in order of preference, and their length in seconds."""

    asset: str
    symbols: Sequence[str]
    step: int


@dataclass
class ExchangeResponse:
    """The response of an exchange so far: raw rows, a description of their `source`, and the `fault`.

    `source` is empty until the exchange is known to list the asset; `fault` is empty unless an error occurred, which
    `is_final` where asking again would not help. `refusals` are the rows that cannot be read.
    """

    rows: list[list[float | None]] = field(default_factory=list)
    source: str = ""
    fault: str = ""
    is_final: bool = False
    refusals: list[RefusedBar] = field(default_factory=list)


class ExchangeSession(BoundedSession):
    """Remembers the last status and the last `Date` that the exchange sent."""

    status = 0
    date = ""
    answered_at = 0.0  # of the monotonic clock

    def request(self, method: str, url: str | bytes, *arguments: Any, **options: Any) -> requests.Response:
        response = super().request(method, url, *arguments, **options)
        self.status, self.date = response.status_code, response.headers.get("Date", "")
        self.answered_at = time.monotonic()
        return response


class ExchangeClient:
    """An exchange by its name in ccxt; not safe for concurrent use.

    Each request runs in a thread of its own, which is abandoned at the deadline. After a timeout the exchange is
    skipped for a while, and as long as the abandoned thread runs. So an unreachable host costs one time limit, not
    one for every asset. `address` stands in place of the exchange's own hosts.
    """

    def __init__(self, name: str, options: Mapping[str, object], address: str = "") -> None:
        self.name = name
        self._session = ExchangeSession()
        self._client = _ccxt_client(name, {"session": self._session, **options})
        if address:
            _move(self._client, address.rstrip("/"))
        self._worker = Thread()
        self._rests_until = 0.0
        self._refusal = ""
        spot = (self._client.features or {}).get("spot") or {}
        self._page = int((spot.get("fetchOHLCV") or {}).get("limit") or PAGE)  # bars of a spot market in a response
        # The unix second before which it has no bars of a symbol and length, and until when that is believed.
        self._begins: dict[tuple[str, int], tuple[int, float]] = {}

    @property
    def clock(self) -> float | None:
        """The unix second that the clock of the exchange shows, by its last answer; None before the first."""
        try:
            at_answer = parsedate_to_datetime(self._session.date).timestamp()
        except ValueError:
            return None
        return at_answer + time.monotonic() - self._session.answered_at

    def ask(self, request: Request, since: int, until: int, seconds: float) -> ExchangeResponse:
        """The bars of the first traded symbol that arrive within `seconds`.

        They open at or after `since` and before `until`, both unix seconds. Does not raise: an error is the `fault` of
        the response, which still holds the rows received before it.
        """
        return self._within(seconds, lambda answer: self._load(answer, request, since, until))

    def list_coins(self, seconds: float) -> tuple[frozenset[str], str]:
        """The keys of the coins beside the assets that are traded here, and the fault if that could not be read."""
        keys: set[str] = set()
        answer = self._within(seconds, lambda _: keys.update(self._coins()))
        return frozenset() if answer.fault else frozenset(keys), answer.fault

    def _within(self, seconds: float, work: Callable[[ExchangeResponse], None]) -> ExchangeResponse:
        start = time.monotonic()
        if start < self._rests_until and self._refusal:
            return ExchangeResponse(fault=self._refusal, is_final=True)
        if start < self._rests_until or self._worker.is_alive():
            return ExchangeResponse(fault="it recently exceeded its time limit")
        answer = ExchangeResponse()
        deadline = self._session.deadline = start + seconds
        self._worker = Thread(target=self._work, args=(answer, work), daemon=True)
        self._worker.start()
        self._worker.join(seconds)
        if not self._worker.is_alive() and time.monotonic() < deadline:
            self._refusal = answer.fault if answer.is_final else ""
            self._rests_until = start + REFUSED_REST_S if answer.is_final else self._rests_until
            return answer
        self._rests_until = deadline + RESTS * seconds
        return ExchangeResponse(list(answer.rows), answer.source, f"no complete response within {seconds:.1f} s")

    def _work(self, answer: ExchangeResponse, work: Callable[[ExchangeResponse], None]) -> None:
        self._session.status = 0
        try:
            work(answer)
        # A malformed response can raise any exception in ccxt, and the next exchange must still be tried.
        except Exception as error:
            status = self._session.status
            is_restricted = status == HTTPStatus.FORBIDDEN and RESTRICTION.search(str(error))
            answer.is_final = status == HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS or bool(is_restricted)
            answer.fault = REFUSAL.format(status=status) if answer.is_final else _in_words(error)

    def _load(self, answer: ExchangeResponse, request: Request, since: int, until: int) -> None:
        markets = self._markets()
        symbol = next((symbol for symbol in request.symbols if _is_traded(markets.get(symbol))), "")
        if not symbol:
            return
        # What only tracks the asset says so.
        words = [STAND_INS.get(symbol.partition("/")[0]), "perpetual swap" if ":" in symbol else None]
        note = ", ".join(word for word in words if word)
        answer.source = f"{self.name} {symbol} ({note})" if note else f"{self.name} {symbol}"
        begins, expires = self._begins.get((symbol, request.step), (0, 0.0))
        if until > begins or time.monotonic() > expires:
            for page in self._pages(symbol, since, until, request.step):
                answer.rows.extend(page)

    def _coins(self) -> Iterator[str]:
        for symbol, market in self._markets(is_new=True).items():
            base, _, quote = symbol.partition("/")
            key = base.lower()
            if quote in QUOTES and _is_traded(market) and COIN_KEY.fullmatch(key) and key not in NO_COINS:
                yield key

    def _markets(self, *, is_new: bool = False) -> dict[str, Any]:
        markets = self._client.load_markets(is_new)
        if not markets:
            raise ccxt.BadResponse("it lists no markets")
        return markets

    def _pages(self, symbol: str, since: int, until: int, step: int) -> Iterator[list[list[float | None]]]:
        """Pages of rows of (unix second, open, high, low, close, volume), in order of time.

        The next page begins after the last bar, which may lie behind the window, or at the end of the window if that
        is near: an exchange may cut a page. One that begins behind a full window shows how far this exchange goes back.
        """
        start = since
        while start < until:
            count = min(self._page, (until - start) // step)
            raw = self._client.fetch_ohlcv(symbol, TIMEFRAMES[step], since=start * 1000, limit=count)
            page = [[time_ms / 1000, *values] for time_ms, *values in raw]
            yield page
            end, last = start + count * step, int(page[-1][0]) + step if page else 0
            if page and page[0][0] >= end and count == self._page:
                self._begins[symbol, step] = int(page[0][0]), time.monotonic() + DAY
            start = last if last > start and last + LONGEST_SILENCE_S < end else max(end, last)


def _ccxt_client(name: str, options: Mapping[str, object]) -> ccxt.Exchange:
    if name not in ccxt.exchanges:
        raise SettingsError(f"EXCHANGES: ccxt has no exchange called {name!r}")
    # Bars do not need the list of currencies, which would be one more request that could fail.
    client = getattr(ccxt, name)({"has": {"fetchCurrencies": False}, **options})
    if not client.has.get("fetchOHLCV") or TIMEFRAMES[STEP] not in (client.timeframes or {}):
        raise SettingsError(f"EXCHANGES: {name} has no {TIMEFRAMES[STEP]} bars")
    return client


def _is_traded(market: Mapping[str, Any] | None) -> bool:
    return market is not None and market["active"] is not False


def _in_words(error: Exception) -> str:
    """A description of an error in a few words; those of an exchange itself only where the class says nothing."""
    if isinstance(error.__cause__, requests.exceptions.ProxyError):
        return str(error.__cause__)[:LONGEST_REASON]
    name = type(error).__name__
    words = next((meaning for word, meaning in FAULTS.items() if word in name), "")
    return words or " ".join(f"{name}: {error}".split())[:LONGEST_REASON]


def _move(client: Any, base: str) -> None:
    """Let a client ask another address, which may be a mirror of the spot markets alone."""
    hosts = client.urls["api"]
    addresses = {name: base + urlsplit(url).path for name, url in hosts.items()} if isinstance(hosts, dict) else base
    client.urls["api"] = addresses
    client.options["fetchMarkets"] = {"types": ["spot"]}


class BarFolder:
    """Answers as an exchange would, from `silver.csv` and so on; files are read again once one has changed."""

    name = "BARS_DIR"
    clock = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[object, BarFile]] = {}

    def ask(self, request: Request, since: int, until: int, seconds: float) -> ExchangeResponse:  # noqa: ARG002
        """As `ExchangeClient.ask`: the rows of the asset's files, as bars of the length that was asked for."""
        source = ""
        try:
            paths = find_files(self._folder, request.asset)
            if not paths:
                return ExchangeResponse()
            source = f"{paths[-1].name} in {self.name}"
            file = self._bars(request.asset, paths)
        except (OSError, ValueError) as error:
            return ExchangeResponse(source=source, fault=str(error))
        if not file.spacing or STEP % file.spacing:
            fault = f"{file.name} needs bars of five minutes or a part of them, not of {file.spacing} s"
            return ExchangeResponse(source=source, fault=fault)
        times = file.rows[:, 0]
        bars, refusals = check(file.rows[(times >= since) & (times < until)], file.spacing)
        rows = [list(row) for row in resample(bars, request.step).rows()]
        return ExchangeResponse(rows, source, refusals=[*(RefusedBar(*fault) for fault in file.faults), *refusals])

    def list_coins(self, seconds: float) -> tuple[frozenset[str], str]:  # noqa: ARG002
        """As `ExchangeClient.list_coins`: a folder has no other coins."""
        return frozenset(), ""

    def _bars(self, asset: str, paths: list[Path]) -> BarFile:
        """The bars of the files; a last line that is still being written is left out."""
        version = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
        if self._read.get(asset, (None,))[0] != version:
            self._read[asset] = version, read_files({path.name: content_of(path) for path in paths}, is_growing=True)
        return self._read[asset][1]
