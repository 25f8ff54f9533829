"""The live world: five-minute bars of real exchanges, requested in order; each exchange fills the remaining gaps.

Exchanges keep a limited history (Kraken the last 720 bars) and a fetch has one deadline, so callers request one day
at a time. A bar that is requested in the second in which it ends may lack its last trades.
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

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.market.assets import open_at
from service.market.bars import Bars, RefusedBar, Times, check, empty, merge
from service.market.clock import World, WorldClock
from service.market.rates import Rates
from service.sources.feeds.exchange_client import STEP, SYMBOLS, ExchangeClient, ExchangeResponse, coin_symbols
from service.sources.feeds.exchange_rates import read_rates
from service.sources.feeds.feed import CoinFeed, FetchedBars

# Increase it when stored bars are no longer compatible with fetched ones.
VERSION = 1


class Request(NamedTuple):
    """The bars to fetch: their length in seconds, and the symbols of their asset in order of preference."""

    asset: str
    symbols: Sequence[str]
    step: int


class Piece(NamedTuple):
    """The contribution of one exchange to a fetch."""

    exchange: str
    answer: ExchangeResponse
    bars: Bars
    refused: list[RefusedBar]


@dataclass(frozen=True)
class ExchangeFeed:
    """The live world; `timeout_s` bounds a whole fetch over all `clients`, `now` reads the wall clock.

    One fetch runs at a time, because exchanges limit the rate of requests. Each exchange gets an equal share of the
    remaining time, so one that hangs does not use up the time of the others.
    """

    clients: tuple[ExchangeClient, ...]
    history_from: int
    timeout_s: float
    now: Callable[[], float] = time.time
    world: ClassVar[World] = "live"
    step = STEP
    fingerprint = f"live/{VERSION}"
    assets = tuple(SYMBOLS)
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("live", world_origin=wall, wall_origin=wall)

    @property
    def coins(self) -> CoinFeed:
        return self

    def fetch(self, asset: str, since: int, until: int) -> FetchedBars:
        """As `Feed.fetch`; `source` is empty if the asset does not trade in the whole window."""
        if asset not in SYMBOLS:
            raise SourceFailed(f"{asset} is not available from exchanges")
        return self._fetch(Request(asset, SYMBOLS[asset], STEP), since, until, self.timeout_s)

    def fetch_coin(self, key: str, since: int, until: int, step: int, seconds: float) -> FetchedBars:
        """As `CoinFeed.fetch_coin`."""
        return self._fetch(Request(key, coin_symbols(key), step), since, until, seconds)

    def list_coins(self) -> frozenset[str]:
        """As `CoinFeed.list_coins`."""
        with self._taking_turns("no list of coins", self.timeout_s):
            lists = [client.list_coins(self.timeout_s / len(self.clients)) for client in self.clients]
        if all(fault for _, fault in lists):
            raise SourceFailed("no list of coins: " + "; ".join(fault for _, fault in lists))
        return frozenset().union(*(keys for keys, _ in lists))

    def _fetch(self, request: Request, since: int, until: int, seconds: float) -> FetchedBars:
        wanted = _instants(request, since, min(until, int(self.now())))
        if not len(wanted):
            return FetchedBars(empty(request.step), (), "")
        pieces = self._ask_all(request, wanted, seconds)
        bars = reduce(merge, (piece.bars for piece in pieces))
        if not len(bars) and _failed(pieces):
            reasons = "; ".join(_reason(request.symbols, piece) for piece in pieces)
            raise SourceFailed(f"no bars of {request.asset}: {reasons}")
        refused = tuple(bar for piece in pieces for bar in piece.refused)
        return FetchedBars(bars, refused, _source(pieces))

    def rates(self) -> Rates:
        """The rates that the exchanges quote at present, within the time limit of a fetch."""
        deadline = time.monotonic() + self.timeout_s
        with self._taking_turns("no exchange rates", self.timeout_s):
            return read_rates(self.clients, int(self.now()), deadline - time.monotonic())

    def _ask_all(self, request: Request, wanted: Times, seconds: float) -> list[Piece]:
        deadline = time.monotonic() + seconds
        with self._taking_turns(f"no bars of {request.asset}", seconds):
            return list(self._pieces(request, wanted, deadline))

    @contextmanager
    def _taking_turns(self, failure: str, seconds: float) -> Iterator[None]:
        if not self._turn.acquire(timeout=seconds):
            raise SourceFailed(f"{failure}: another fetch from the exchanges is still in progress")
        try:
            yield
        finally:
            self._turn.release()

    def _pieces(self, request: Request, wanted: Times, deadline: float) -> Iterator[Piece]:
        missing, step = wanted, request.step
        for place, client in enumerate(self.clients):
            seconds = max(deadline - time.monotonic(), 0) / (len(self.clients) - place)
            answer = client.ask(request.symbols, int(missing[0]), int(missing[-1]) + step, seconds, step)
            bars, refused = check(answer.rows, step)
            bars = bars[np.isin(bars.time, missing)]
            yield Piece(client.name, answer, bars, _of_exchange(client.name, refused, missing))
            missing = np.setdiff1d(missing, bars.time)
            if not len(missing):
                return


def open_exchanges(
    settings: Settings, history_from: int, options: Mapping[str, Mapping[str, object]] | None = None
) -> ExchangeFeed:
    """The feed of EXCHANGES; `options` maps the name of an exchange to arguments for its ccxt constructor."""
    if not settings.exchanges:
        raise SettingsError("EXCHANGES: name at least one exchange, as ccxt calls it")
    clients = tuple(ExchangeClient(name, (options or {}).get(name, {})) for name in settings.exchanges)
    return ExchangeFeed(clients, history_from, settings.source_timeout_s)


def _instants(request: Request, since: int, until: int) -> Times:
    """The opening times of the window's bars: on the grid, complete by `until`, in trading hours."""
    step = request.step
    grid = np.arange(since + -since % step, until - step + 1, step)
    return grid[open_at(request.asset, grid)]


def _of_exchange(exchange: str, refused: list[RefusedBar], missing: Times) -> list[RefusedBar]:
    """The refused bars that were wanted or have no valid time; each reason begins with the name of the exchange."""
    wanted = set(missing.tolist())
    return [RefusedBar(time, f"{exchange}: {reason}") for time, reason in refused if time in wanted or time < 0]


def _failed(pieces: list[Piece]) -> bool:
    """Whether an exchange failed or none lists the asset, so that bars may exist."""
    return any(piece.answer.fault for piece in pieces) or not any(piece.answer.source for piece in pieces)


def _reason(symbols: Sequence[str], piece: Piece) -> str:
    """The reason why an exchange returned no bars."""
    if piece.answer.fault:
        return f"{piece.exchange}: {piece.answer.fault}"
    if not piece.answer.source:
        return f"{piece.exchange}: it lists none of {', '.join(symbols)}"
    return f"{piece.exchange}: it has no valid bars in this window"


def _source(pieces: list[Piece]) -> str:
    """The origin of the bars: "kraken BTC/USD, then coinbase BTC/USD for 3 bars"."""
    filled = [piece for piece in pieces if len(piece.bars)]
    if not filled:
        return next(piece.answer.source for piece in pieces if piece.answer.source)
    first, *later = filled
    return first.answer.source + "".join(f", then {piece.answer.source} for {len(piece.bars)} bars" for piece in later)
