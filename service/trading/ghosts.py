"""Ghosts: accounts without skill, shown unranked beside the strategies as a measure of luck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from service.market.bars import Bars
from service.market.instants import DAY
from service.trading.rules.targets import Targets


@dataclass(frozen=True)
class Ghost:
    """A benchmark account, described like a strategy."""

    key: str
    name: str
    description: str
    decide: Callable[[str, Bars], Targets]
    category: str = "ghost"


def buy_and_hold(_asset: str, bars: Bars) -> Targets:
    """Long from the first bar on, int8 (n,)."""
    return np.ones(len(bars), np.int8)


def coin_flip(asset: str, bars: Bars) -> Targets:
    """Long or short for a whole UTC day, by a hash of the asset and the day, int8 (n,)."""
    days, which = np.unique(bars.time // DAY, return_inverse=True)
    sides = np.array([_toss(asset, day) for day in days.tolist()], np.int8)
    return sides[which]


def _toss(asset: str, day: int) -> int:
    return 1 if blake2b(f"{asset} {day}".encode(), digest_size=1).digest()[0] & 1 else -1


GHOSTS: dict[str, Ghost] = {
    ghost.key: ghost
    for ghost in (
        Ghost("buy_and_hold", "Buy and hold", "Buys at the start and never sells.", buy_and_hold),
        Ghost("coin_flip", "Coin flip", "Long or short for a day at the toss of a coin.", coin_flip),
    )
}
