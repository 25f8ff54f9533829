"""The live world: five-minute bars of real exchanges, asked in order, each filling what those before it left.

An exchange keeps only so much of its past (Kraken its last 720 bars), and one fetch has one deadline: ask for
a day at a time. A bar asked for in the second in which it ends may lack its last trades.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from threading import Lock
from typing import NamedTuple

import numpy as np

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.market.assets import open_at
from service.market.bars import Bars, RefusedBar, Times, check, empty, merge
from service.market.clock import WorldClock
from service.sources.feeds.exchange_client import STEP, SYMBOLS, Answer, ExchangeClient
from service.sources.feeds.feed import Fetched

# Raise it when what is stored no longer goes with what is fetched.
VERSION = 1


class Piece(NamedTuple):
    """What one exchange gave towards a fetch."""

    exchange: str
    answer: Answer
    bars: Bars
    refused: list[RefusedBar]


@dataclass(frozen=True)
class ExchangeFeed:
    """The live world; `timeout_s` bounds a whole fetch over all `clients`, `now` reads the wall clock.

    One fetch runs at a time, since an exchange counts the requests it gets. The rest of the time is shared
    out evenly, so that an exchange that hangs leaves the others theirs.
    """

    clients: tuple[ExchangeClient, ...]
    history_from: int
    timeout_s: float
    now: Callable[[], float] = time.time
    world = "live"
    step = STEP
    fingerprint = f"live/{VERSION}"
    assets = tuple(SYMBOLS)
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("live", world_origin=wall, wall_origin=wall)

    def fetch(self, asset: str, since: int, until: int) -> Fetched:
        """As `Feed.fetch` says; `source` is empty where nothing trades in the whole window."""
        if asset not in SYMBOLS:
            raise SourceFailed(f"no exchange is asked for {asset}")
        wanted = _instants(asset, since, min(until, int(self.now())))
        if not len(wanted):
            return Fetched(empty(STEP), (), "")
        pieces = self._ask_all(asset, wanted)
        bars = reduce(merge, (piece.bars for piece in pieces))
        if not len(bars) and _failed(pieces):
            raise SourceFailed(f"no bars of {asset}: " + "; ".join(_reason(asset, piece) for piece in pieces))
        refused = tuple(bar for piece in pieces for bar in piece.refused)
        return Fetched(bars, refused, _source(pieces))

    def _ask_all(self, asset: str, wanted: Times) -> list[Piece]:
        deadline = time.monotonic() + self.timeout_s
        if not self._turn.acquire(timeout=self.timeout_s):
            raise SourceFailed(f"no bars of {asset}: the exchanges are still being asked for others")
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
            yield Piece(client.name, answer, bars, _told_by(client.name, refused, missing))
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
    """When each bar of the window opens: on the grid, complete by `until`, in trading hours."""
    grid = np.arange(since + -since % STEP, until - STEP + 1, STEP)
    return grid[open_at(asset, grid)]


def _told_by(exchange: str, refused: list[RefusedBar], missing: Times) -> list[RefusedBar]:
    """The refused bars that were wanted, or have no instant, each with the exchange that sent it."""
    wanted = set(missing.tolist())
    return [RefusedBar(time, f"{exchange}: {reason}") for time, reason in refused if time in wanted or time < 0]


def _failed(pieces: list[Piece]) -> bool:
    """Whether it is unknown if there are bars: someone failed, or nobody lists the asset."""
    return any(piece.answer.fault for piece in pieces) or not any(piece.answer.source for piece in pieces)


def _reason(asset: str, piece: Piece) -> str:
    """Why an exchange gave no bars."""
    if piece.answer.fault:
        return f"{piece.exchange}: {piece.answer.fault}"
    if not piece.answer.source:
        return f"{piece.exchange}: it lists none of {', '.join(SYMBOLS[asset])}"
    return f"{piece.exchange}: it has no sound bars of that window"


def _source(pieces: list[Piece]) -> str:
    """Where the bars came from: "kraken BTC/USD, then coinbase BTC/USD for 3 bars"."""
    given = [piece for piece in pieces if len(piece.bars)]
    if not given:
        return next(piece.answer.source for piece in pieces if piece.answer.source)
    first, *others = given
    return first.answer.source + "".join(f", then {piece.answer.source} for {len(piece.bars)} bars" for piece in others)
