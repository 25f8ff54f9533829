"""The live world: five-minute bars of real exchanges, requested in order; each exchange fills the remaining gaps.

Exchanges keep a limited history (Kraken the last 720 bars) and a fetch has one deadline, so callers request one day
at a time. A bar that is requested in the second in which it ends may lack its last trades.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
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
from service.sources.feeds.exchange_client import STEP, SYMBOLS, ExchangeClient, ExchangeResponse
from service.sources.feeds.feed import FetchedBars

# Increase it when stored bars are no longer compatible with fetched ones.
VERSION = 1


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

    def fetch(self, asset: str, since: int, until: int) -> FetchedBars:
        """As `Feed.fetch`; `source` is empty if the asset does not trade in the whole window."""
        if asset not in SYMBOLS:
            raise SourceFailed(f"{asset} is not available from exchanges")
        wanted = _instants(asset, since, min(until, int(self.now())))
        if not len(wanted):
            return FetchedBars(empty(STEP), (), "")
        pieces = self._ask_all(asset, wanted)
        bars = reduce(merge, (piece.bars for piece in pieces))
        if not len(bars) and _failed(pieces):
            raise SourceFailed(f"no bars of {asset}: " + "; ".join(_reason(asset, piece) for piece in pieces))
        refused = tuple(bar for piece in pieces for bar in piece.refused)
        return FetchedBars(bars, refused, _source(pieces))

    def _ask_all(self, asset: str, wanted: Times) -> list[Piece]:
        deadline = time.monotonic() + self.timeout_s
        if not self._turn.acquire(timeout=self.timeout_s):
            raise SourceFailed(f"no bars of {asset}: another fetch from the exchanges is still in progress")
        try:
            return list(self._pieces(asset, wanted, deadline))
        finally:
            self._turn.release()

    def _pieces(self, asset: str, wanted: Times, deadline: float) -> Iterator[Piece]:
        missing = wanted
        for place, client in enumerate(self.clients):
            seconds = max(deadline - time.monotonic(), 0) / (len(self.clients) - place)
            answer = client.ask(asset, int(missing[0]), int(missing[-1]) + STEP, seconds)
            bars, refused = check(answer.rows, STEP)
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


def _instants(asset: str, since: int, until: int) -> Times:
    """The opening times of the window's bars: on the grid, complete by `until`, in trading hours."""
    grid = np.arange(since + -since % STEP, until - STEP + 1, STEP)
    return grid[open_at(asset, grid)]


def _of_exchange(exchange: str, refused: list[RefusedBar], missing: Times) -> list[RefusedBar]:
    """The refused bars that were wanted or have no valid time; each reason begins with the name of the exchange."""
    wanted = set(missing.tolist())
    return [RefusedBar(time, f"{exchange}: {reason}") for time, reason in refused if time in wanted or time < 0]


def _failed(pieces: list[Piece]) -> bool:
    """Whether an exchange failed or none lists the asset, so that bars may exist."""
    return any(piece.answer.fault for piece in pieces) or not any(piece.answer.source for piece in pieces)


def _reason(asset: str, piece: Piece) -> str:
    """The reason why an exchange returned no bars."""
    if piece.answer.fault:
        return f"{piece.exchange}: {piece.answer.fault}"
    if not piece.answer.source:
        return f"{piece.exchange}: it lists none of {', '.join(SYMBOLS[asset])}"
    return f"{piece.exchange}: it has no valid bars in this window"


def _source(pieces: list[Piece]) -> str:
    """The origin of the bars: "kraken BTC/USD, then coinbase BTC/USD for 3 bars"."""
    filled = [piece for piece in pieces if len(piece.bars)]
    if not filled:
        return next(piece.answer.source for piece in pieces if piece.answer.source)
    first, *later = filled
    return first.answer.source + "".join(f", then {piece.answer.source} for {len(piece.bars)} bars" for piece in later)
