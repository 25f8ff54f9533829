"""What all strategies together hold of an asset, now and in the past; ghosts are not among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.market.assets import ASSETS
from service.market.bars import Prices, Times
from service.market.instants import HOUR
from service.trading.accounts import Ledger
from service.trading.arena import Arena


@dataclass(frozen=True)
class NetPosition:
    """How many strategies are long, short and flat in one asset; `net` is (long - short) of all, in [-1, 1]."""

    long: int
    short: int
    flat: int
    net: float


def net_positions(arena: Arena) -> dict[str, NetPosition]:
    """What is held of each asset now. A decision that no bar has filled yet does not count."""
    return {asset: _now(_ledgers(arena, asset)) for asset in ASSETS}


def net_history(arena: Arena, asset: str) -> tuple[Times, Prices]:
    """The net position of `asset` at each full hour after the anchor and not after `as_of`: two arrays (hours,).

    It is what was held until that unix second, before anything decided at it was filled: the same whatever came
    later, and at `as_of` the `net` of now.
    """
    times = np.arange(arena.anchor - arena.anchor % HOUR + HOUR, arena.as_of + 1, HOUR, dtype=np.int64)
    ledgers = _ledgers(arena, asset)
    net = np.zeros(len(times))
    for side in (1, -1):
        entered = np.concatenate([ledger.entry_time[ledger.side == side] for ledger in ledgers])
        left = np.concatenate([ledger.exit_time[ledger.side[: ledger.closed] == side] for ledger in ledgers])
        net += side * (np.searchsorted(np.sort(entered), times) - np.searchsorted(np.sort(left), times))
    return times, net / len(ledgers)


def _ledgers(arena: Arena, asset: str) -> list[Ledger]:
    return [accounts[asset].ledger for accounts in arena.strategies.values() if asset in accounts]


def _now(ledgers: Sequence[Ledger]) -> NetPosition:
    sides = [int(ledger.side[-1]) for ledger in ledgers if ledger.is_open]
    long, short = sides.count(1), sides.count(-1)
    return NetPosition(long, short, flat=len(ledgers) - len(sides), net=(long - short) / len(ledgers))
