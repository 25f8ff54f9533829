"""The daily skeleton of the simulated market: where each day of each asset opens, closes, and how wild it is.

A pure function of (seed, asset, day). A day stands on the one before it, so the skeleton grows in blocks
that are kept; days count from EPOCH. Every number here is assumed, chosen so that the five-minute bars
hold the stylised facts of engine.md 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from service.sources.feeds.counters import Counters, Floats, held_normals, normals, stream

EPOCH = 1_577_836_800  # 2020-01-01, a Wednesday
BLOCK = 1024  # days

# Variance of a day's log volatility that comes from cells of so many days, and the share of it in common.
VOLATILITY_CELLS = {1: 0.05, 3: 0.05, 9: 0.05, 27: 0.04, 81: 0.03}
VOLATILITY_IN_COMMON = 0.7
# A drift in units of a day's volatility, renewed after so many days, and the share of it in common.
DRIFT = 0.06
DRIFT_DAYS = 23
DRIFT_IN_COMMON = 0.5
# How much wilder a day is for each standard deviation that the day before fell.
LEVERAGE = 0.06
# The part of the way back to its starting price that a price goes in a day.
PULL = 1 / 400
# Correlation of the metals' common move with crypto's.
CROSS = 0.12

Group = Literal["crypto", "metal"]


@dataclass(frozen=True)
class Instrument:
    """What makes an asset itself.

    `start` is its price at EPOCH in USD, `volatility` that of a year, `loading` its correlation with the
    common move of its group, `volume` that of an ordinary five minutes in units of the asset.
    """

    start: float
    volatility: float
    group: Group
    loading: float
    volume: float


INSTRUMENTS: dict[str, Instrument] = {
    "btc": Instrument(60_000, 0.50, "crypto", 0.93, 90),
    "eth": Instrument(2_600, 0.68, "crypto", 0.90, 1_100),
    "sol": Instrument(140, 0.95, "crypto", 0.82, 12_000),
    "bnb": Instrument(580, 0.52, "crypto", 0.79, 900),
    "xrp": Instrument(0.60, 0.90, "crypto", 0.80, 1_500_000),
    "gold": Instrument(2_400, 0.16, "metal", 0.88, 40),
    "silver": Instrument(29, 0.30, "metal", 0.84, 2_500),
}

# How wild a weekday and a day of the weekend are beside an ordinary day.
WEEKDAY = {"crypto": 1.11, "metal": 1.17}
WEEKEND = {"crypto": 0.66, "metal": 0.25}


class Days(NamedTuple):
    """Consecutive days of one asset, shape (n,): `opens` and `closes` are log(price / starting price),
    `volatility` is the standard deviation of the day's log return."""

    opens: Floats
    closes: Floats
    volatility: Floats


def days(seed: int, asset: str, first: int, last: int) -> Days:
    """The days from `first` up to and without `last`, counted from EPOCH; 0 <= first < last."""
    blocks = [_block(seed, asset, number) for number in range(first // BLOCK, (last - 1) // BLOCK + 1)]
    cut = slice(first % BLOCK, first % BLOCK + last - first)
    return Days(*(np.concatenate(column)[cut] for column in zip(*blocks, strict=True)))


def daily_volatility(asset: str) -> float:
    """The standard deviation of an ordinary day's log return."""
    return INSTRUMENTS[asset].volatility / 365**0.5


def common_move(seed: int, scale: str, group: Group, counters: Counters) -> Floats:
    """The standard normal that all assets of a group share at each counter; `scale` names the clock."""
    crypto = normals(stream(seed, scale, "move", "crypto"), counters)
    if group == "crypto":
        return crypto
    return CROSS * crypto + (1 - CROSS**2) ** 0.5 * normals(stream(seed, scale, "move", group), counters)


def own_move(seed: int, scale: str, asset: str, common: Floats, counters: Counters) -> Floats:
    """The standard normal of one asset at each counter, given what its group shares there."""
    loading = INSTRUMENTS[asset].loading
    return loading * common + (1 - loading**2) ** 0.5 * normals(stream(seed, scale, "move", asset), counters)


@lru_cache(maxsize=4096)
def _block(seed: int, asset: str, number: int) -> Days:
    """One block of days; it stands on the last close of the block before it."""
    start = float(_block(seed, asset, number - 1).closes[-1]) if number else 0.0
    day = np.arange(number * BLOCK - 1, (number + 1) * BLOCK)
    move = own_move(seed, "day", asset, common_move(seed, "day", INSTRUMENTS[asset].group, day), day)
    yesterday, day, move = move[:-1], day[1:], move[1:]
    volatility = _volatility(seed, asset, day) * (1 - LEVERAGE * np.clip(yesterday, -3, 3))
    returns = volatility * (move + DRIFT * _in_part_common(seed, "drift", asset, day, DRIFT_DAYS, DRIFT_IN_COMMON))
    levels = np.fromiter(accumulate(returns.tolist(), _next_level, initial=start), dtype=np.float64)
    return Days(levels[:-1], levels[1:], volatility)


def _next_level(level: float, log_return: float) -> float:
    return level * (1 - PULL) + log_return


def _volatility(seed: int, asset: str, day: Counters) -> Floats:
    wildness = sum(
        variance**0.5 * _in_part_common(seed, f"volatility {length}", asset, day, length, VOLATILITY_IN_COMMON)
        for length, variance in VOLATILITY_CELLS.items()
    ) - sum(VOLATILITY_CELLS.values())
    group = INSTRUMENTS[asset].group
    weekend = (day + 2) % 7 >= 5  # day 0 was a Wednesday
    return daily_volatility(asset) * np.exp(wildness) * np.where(weekend, WEEKEND[group], WEEKDAY[group])


def _in_part_common(seed: int, matter: str, asset: str, day: Counters, length: int, share: float) -> Floats:
    """A standard normal held for `length` days, the `share` of its variance being its group's."""
    common = held_normals(stream(seed, "day", matter, INSTRUMENTS[asset].group), day, length)
    own = held_normals(stream(seed, "day", matter, asset), day, length)
    return share**0.5 * common + (1 - share) ** 0.5 * own
