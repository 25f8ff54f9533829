"""The live world: bars of real exchanges, requested in order; each exchange fills the remaining gaps.

Exchanges keep a limited history (Kraken the last 720 bars) and a fetch has one deadline, so callers ask for spans that
fit. A bar that is requested in the second in which it ends may lack its last trades.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from threading import Lock
from typing import ClassVar, NamedTuple

import numpy as np
import structlog

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.market.assets import ASSETS, asset_of, open_at
from service.market.bars import Bars, RefusedBar, Times, check, empty, merge
from service.market.instants import HOUR, MINUTE, World, WorldClock, utc
from service.market.prices import Rate, Rates
from service.sources.feeds.exchange_client import (
    QUOTES,
    RATE_SYMBOLS,
    STEP,
    BarFolder,
    ExchangeClient,
    ExchangeResponse,
    Request,
)
from service.sources.feeds.feed import AssetUnlisted, CoinFeed, FetchedBars

log = structlog.stdlib.get_logger(__name__)

# Increase it when stored bars are no longer compatible with fetched ones.
VERSION = 1
LONGEST_DRIFT_S = 60  # by which the clocks of an exchange and of this machine may differ

Client = ExchangeClient | BarFolder


class Piece(NamedTuple):
    """The contribution of one exchange to a fetch."""

    exchange: str
    answer: ExchangeResponse
    bars: Bars
    refusals: list[RefusedBar]


@dataclass(frozen=True)
class ExchangeFeed:
    """The live world; `timeout_s` bounds a whole fetch over all `clients`, `now` reads the wall clock.

    One fetch runs at a time, because exchanges limit the rate of requests. Each exchange gets an equal share of the
    remaining time, so one that hangs does not use up the time of the others.
    """

    clients: tuple[Client, ...]
    history_from: int
    timeout_s: float
    now: Callable[[], float] = time.time
    world: ClassVar[World] = "live"
    step = STEP
    fingerprint = f"live/{VERSION}"
    assets = tuple(ASSETS)
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("live", world_origin=wall, wall_origin=wall)

    @property
    def coins(self) -> CoinFeed:
        return self

    def fetch(self, asset: str, since: int, until: int, step: int | None = None, seconds: float = 0.0) -> FetchedBars:
        """As `Feed.fetch`, also of another coin; within `seconds` in all, 0 for the time limit of the feed."""
        symbols = asset_of(asset).symbols or [f"{asset.upper()}/{quote}" for quote in QUOTES]
        request = Request(asset, symbols, step or STEP)
        seconds = seconds or self.timeout_s
        end = min(until, int(self.now()))
        grid = np.arange(since + -since % request.step, end - request.step + 1, request.step)
        if not len(grid):
            return FetchedBars(empty(request.step), (), "")
        deadline = time.monotonic() + seconds
        with self._taking_turns(f"no bars of {asset}", seconds):
            pieces = list(self._pieces(request, grid, deadline))
        drifts = map(self._drift_s, self.clients)
        drift, note = next((gap for gap in drifts if abs(gap) > LONGEST_DRIFT_S), 0.0), ""
        if drift:
            note = f" (this machine's clock is {abs(drift) / MINUTE:.0f} min {'ahead' if drift > 0 else 'behind'})"
        bars = reduce(merge, (piece.bars for piece in pieces))
        if not len(bars):
            _require_answer(request, pieces)
        refusals = tuple(bar for piece in pieces for bar in piece.refusals)
        return FetchedBars(bars, refusals, _source(pieces) + note, _passing_faults(pieces))

    def list_coins(self) -> frozenset[str]:
        """As `CoinFeed.list_coins`."""
        with self._taking_turns("no list of coins", self.timeout_s):
            lists = [client.list_coins(self.timeout_s / len(self.clients)) for client in self.clients]
        if all(fault for _, fault in lists):
            raise SourceFailed("no list of coins: " + "; ".join(fault for _, fault in lists))
        return frozenset().union(*(keys for keys, _ in lists))

    def _drift_s(self, client: Client) -> float:
        """By how many seconds the clock of this machine is ahead of that of an exchange; 0 where it is unknown."""
        return self.now() - client.clock if client.clock else 0.0

    def rates(self) -> Rates:
        """The rates that the exchanges quote at present, within the time limit of a fetch.

        A currency that none of them quotes is missing. One without a pair with the dollar has the rate between the two
        prices of Bitcoin on one exchange.
        """
        deadline = time.monotonic() + self.timeout_s
        with self._taking_turns("no exchange rates", self.timeout_s):
            now = int(self.now())
            rates = {currency: _rate(self.clients, currency, now, deadline) for currency in RATE_SYMBOLS}
        return {currency: rate for currency, rate in rates.items() if rate}

    @contextmanager
    def _taking_turns(self, failure: str, seconds: float) -> Iterator[None]:
        if not self._turn.acquire(timeout=seconds):
            raise SourceFailed(f"{failure}: another fetch from the exchanges is still in progress")
        try:
            yield
        finally:
            self._turn.release()

    def _pieces(self, request: Request, grid: Times, deadline: float) -> Iterator[Piece]:
        """The contribution of each client until nothing is missing in trading hours.

        Bars outside of them come from the first client that has the asset, and from the next one before its first bar.
        """
        missing, step = grid, request.step
        for place, client in enumerate(self.clients):
            seconds = max(deadline - time.monotonic(), 0) / (len(self.clients) - place)
            answer = client.ask(request, int(missing[0]), int(missing[-1]) + step, seconds)
            bars, refusals = check(answer.rows, step)
            bars = bars[np.isin(bars.time, missing)]
            if self._drift_s(client) > LONGEST_DRIFT_S:
                bars = bars.until(int(client.clock or 0))  # by this machine's clock a bar in progress has ended
            yield Piece(client.name, answer, bars, _of_exchange(client.name, [*answer.refusals, *refusals], missing))
            missing = np.setdiff1d(missing, bars.time)
            if len(bars):
                missing = missing[(missing < bars.time[0]) | open_at(request.asset, missing)]
            if not len(missing):
                return


def open_exchanges(
    settings: Settings, history_from: int, options: Mapping[str, Mapping[str, object]] | None = None
) -> ExchangeFeed:
    """The feed of EXCHANGES, then BARS_DIR.

    `options` maps the name of an exchange to arguments for its ccxt constructor. Raises SettingsError where an
    exchange is unknown or BARS_DIR is not a folder.
    """
    if not settings.exchanges:
        raise SettingsError("EXCHANGES: name at least one exchange, as ccxt calls it")
    entries = [entry.partition("=") for entry in settings.exchanges]
    clients: list[Client] = [
        ExchangeClient(name, (options or {}).get(name, {}), address) for name, _, address in entries
    ]
    if settings.bars_dir:
        if not settings.bars_dir.is_dir():
            raise SettingsError(f"BARS_DIR: {settings.bars_dir} is not a folder")
        clients.append(BarFolder(settings.bars_dir))
    return ExchangeFeed(tuple(clients), history_from, settings.source_timeout_s)


def _of_exchange(exchange: str, refusals: list[RefusedBar], missing: Times) -> list[RefusedBar]:
    """The refused bars that were wanted or have no valid time; each reason begins with the name of the exchange."""
    times = set(missing.tolist())
    return [RefusedBar(time, f"{exchange}: {reason}") for time, reason in refusals if time in times or time < 0]


def _require_answer(request: Request, pieces: list[Piece]) -> None:
    """Raise AssetUnlisted where no client that answers has the asset, and SourceFailed where one that may failed."""
    exchanges = [piece.exchange for piece in pieces if not piece.answer.fault]
    if exchanges and not any(piece.answer.source for piece in pieces):
        raise AssetUnlisted(f"no source has it: {', '.join(exchanges)} list none of {', '.join(request.symbols)}")
    if not exchanges or _passing_faults(pieces):
        reasons = "; ".join(f"{piece.exchange}: {piece.answer.fault}" for piece in pieces if piece.answer.fault)
        raise SourceFailed(f"no bars of {request.asset}: {reasons}")


def _passing_faults(pieces: list[Piece]) -> str:
    """The faults of clients that may have more bars; empty where there is none."""
    failures = (piece for piece in pieces if piece.answer.fault and not piece.answer.is_final)
    return "; ".join(f"{piece.exchange}: {piece.answer.fault}" for piece in failures)


def _source(pieces: list[Piece]) -> str:
    """The origin of the bars: "kraken BTC/USD, then coinbase BTC/USD for 3 bars"."""
    parts = [piece for piece in pieces if len(piece.bars)]
    if not parts:
        return next(piece.answer.source for piece in pieces if piece.answer.source)
    first, *later = parts
    return first.answer.source + "".join(f", then {piece.answer.source} for {len(piece.bars)} bars" for piece in later)


# An exchange is not asked in less time: after a timeout it is skipped for a while.
SHORTEST_S = 0.5


def _rate(clients: Sequence[Client], currency: str, now: int, deadline: float) -> Rate | None:
    for place, client in enumerate(clients):
        seconds = (deadline - time.monotonic()) / (len(clients) - place)
        if seconds > SHORTEST_S and (rate := _quoted_rate(client, currency, now, seconds)):
            return rate
    log.warning("rate_missing", currency=currency)
    return None


def _quoted_rate(client: Client, currency: str, now: int, seconds: float) -> Rate | None:
    quote = _quote(client, Request(currency, RATE_SYMBOLS[currency], STEP), now, seconds / 2)
    if quote is None:
        return None
    usd, source, as_of = quote
    pair = source.split()[-1]
    if pair.startswith("BTC/"):
        bitcoin = _quote(client, Request("btc", ASSETS["btc"].symbols, STEP), now, seconds / 2)
        if bitcoin is None:
            return None
        dollars, bitcoin_source, bitcoin_as_of = bitcoin
        usd, source, as_of = dollars / usd, f"{source} and {bitcoin_source}", min(as_of, bitcoin_as_of)
    elif pair.startswith("USD"):
        usd = 1 / usd
    return Rate(float(f"{usd:.6g}"), source, utc(as_of))


def _quote(client: Client, request: Request, now: int, seconds: float) -> tuple[float, str, int] | None:
    """The last price of the first traded symbol within two hours, its source and unix second; None without one."""
    since = (now - 2 * HOUR) // STEP * STEP
    answer = client.ask(request, since, now // STEP * STEP, seconds)
    bars: Bars = check(answer.rows, STEP)[0].until(now)
    return (float(bars.close[-1]), answer.source, bars.as_of) if len(bars) else None
