"""The net position of all strategies in an asset, now and in the past; ghosts do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.market.bars import Prices, Times
from service.market.instants import HOUR
from service.trading.accounts import TradeHistory
from service.trading.arena import Arena


@dataclass(frozen=True)
class NetPosition:
    """How many strategies are long, short and flat in one asset; `net` is (long - short) / all, in [-1, 1]."""

    long: int
    short: int
    flat: int
    net: float


def net_positions(arena: Arena) -> dict[str, NetPosition]:
    """The net position in each asset now. A decision that no bar has filled yet does not count."""
    return {asset: _now(_histories(arena, asset)) for asset in arena.assets}


def net_history(arena: Arena, asset: str) -> tuple[Times, Prices]:
    """The net position of `asset` at each full hour after the anchor and not after `as_of`: two arrays (hours,).

    It is the position held until that unix second, before the decisions of that second are filled. Later bars never
    change it, and at `as_of` it is the `net` of `net_positions`.
    """
    times = np.arange(arena.anchor - arena.anchor % HOUR + HOUR, arena.as_of + 1, HOUR, dtype=np.int64)
    histories = _histories(arena, asset)
    net = np.zeros(len(times))
    for side in (1, -1):
        entered = np.concatenate([history.entry_time[history.side == side] for history in histories])
        left = np.concatenate([history.exit_time[history.side[: history.closed] == side] for history in histories])
        net += side * (np.searchsorted(np.sort(entered), times) - np.searchsorted(np.sort(left), times))
    return times, net / max(1, len(histories))


def _histories(arena: Arena, asset: str) -> list[TradeHistory]:
    return [accounts[asset].history for accounts in arena.strategies.values() if asset in accounts]


def _now(histories: Sequence[TradeHistory]) -> NetPosition:
    sides = [int(history.side[-1]) for history in histories if history.is_open]
    long, short = sides.count(1), sides.count(-1)
    return NetPosition(long, short, flat=len(histories) - len(sides), net=(long - short) / len(histories))
