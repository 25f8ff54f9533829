"""The daily skeleton of the simulated market: the open, the close and the volatility of each day of each asset.

It is a pure function of (seed, asset, day). Each day continues from the day before, so days are computed in cached
blocks; days count from EPOCH. Every parameter is assumed, chosen so that the five-minute bars have the stylised facts
of real markets (tests/sources/feeds/test_stylised_facts.py).
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.market.assets import ASSETS, calendar_of

EPOCH = 1_577_836_800  # 2020-01-01, a Wednesday
BLOCK = 1024  # days

# The variance of a day's log volatility by the length of its cells in days, and the share common to the group.
VOLATILITY_CELLS = {1: 0.05, 3: 0.05, 9: 0.05, 27: 0.04, 81: 0.03}
VOLATILITY_IN_COMMON = 0.7
# A drift in units of daily volatility, the days after which it changes, and the share common to the group.
DRIFT = 0.06
DRIFT_DAYS = 23
DRIFT_IN_COMMON = 0.5
# The relative increase in a day's volatility for each standard deviation that the day before fell.
LEVERAGE = 0.06
# Mean reversion: the fraction of the distance to its starting price that a price returns in a day.
PULL = 1 / 400
# Correlation of the common move of metals with that of crypto.
CROSS = 0.12

Group = Literal["crypto", "metal"]

INSTRUMENTS = {key: asset.simulated for key, asset in ASSETS.items() if asset.simulated}

# The volatility of a weekday and of a weekend day relative to an average day.
WEEKDAY = {"crypto": 1.11, "metal": 1.17}
WEEKEND = {"crypto": 0.66, "metal": 0.25}


class SimulatedDays(NamedTuple):
    """Consecutive days of one asset, shape (n,): `opens` and `closes` are log(price / starting price),
    `volatility` is the standard deviation of the day's log return."""

    opens: Floats
    closes: Floats
    volatility: Floats


def days(seed: int, asset: str, first: int, last: int) -> SimulatedDays:
    """The days from `first` up to but excluding `last`, counted from EPOCH; 0 <= first < last."""
    blocks = [_block(seed, asset, number) for number in range(first // BLOCK, (last - 1) // BLOCK + 1)]
    cut = slice(first % BLOCK, first % BLOCK + last - first)
    return SimulatedDays(*(np.concatenate(column)[cut] for column in zip(*blocks, strict=True)))


def expected_days(seed: int, asset: str, first: int, last: int) -> tuple[Floats, Floats]:
    """Mean and variance of the log return of each day as expected on the day `first`, shape (last - first,) each.

    Known are the price at which that day opens, its volatility, and the cells of volatility and drift that it lies in;
    unknown are all moves and the later cells. Days count from EPOCH; `last` is excluded.
    """
    day, today = np.arange(first, last), days(seed, asset, first, first + 1)
    log_excess = np.zeros(len(day))
    for length, variance in VOLATILITY_CELLS.items():
        mean, unknown = _expected_in_part_common(seed, f"volatility {length}", asset, day, length, VOLATILITY_IN_COMMON)
        log_excess += 2 * variance**0.5 * mean - 2 * variance * (1 - unknown)
    variances = _usual_volatility(asset, day) ** 2 * np.exp(log_excess) * (1 + LEVERAGE**2)
    variances[0] = today.volatility[0] ** 2
    drift, _ = _expected_in_part_common(seed, "drift", asset, day, DRIFT_DAYS, DRIFT_IN_COMMON)
    pulls = PULL * today.opens[0] * (1 - PULL) ** (day - first)
    return DRIFT * drift * np.sqrt(variances) - pulls, variances


def group_of(asset: str) -> Group:
    """The group whose common move an asset follows."""
    return "crypto" if calendar_of(asset) == "always" else "metal"


def daily_volatility(asset: str) -> float:
    """The standard deviation of the log return of an average day."""
    return INSTRUMENTS[asset].volatility / 365**0.5


def common_move(seed: int, scale: str, group: Group, counters: Counters) -> Floats:
    """The standard normal move that all assets of a group share at each counter; `scale` is "day" or "bar"."""
    crypto = normals(stream(seed, scale, "move", "crypto"), counters)
    if group == "crypto":
        return crypto
    return CROSS * crypto + (1 - CROSS**2) ** 0.5 * normals(stream(seed, scale, "move", group), counters)


def own_move(seed: int, scale: str, asset: str, common: Floats, counters: Counters) -> Floats:
    """The standard normal move of one asset at each counter; `common` is the move of its group."""
    loading = INSTRUMENTS[asset].loading
    return loading * common + (1 - loading**2) ** 0.5 * normals(stream(seed, scale, "move", asset), counters)


@lru_cache(maxsize=4096)
def _block(seed: int, asset: str, number: int) -> SimulatedDays:
    """One block of days, which starts at the last close of the block before it."""
    start = float(_block(seed, asset, number - 1).closes[-1]) if number else 0.0
    day = np.arange(number * BLOCK - 1, (number + 1) * BLOCK)
    move = own_move(seed, "day", asset, common_move(seed, "day", group_of(asset), day), day)
    yesterday, day, move = move[:-1], day[1:], move[1:]
    volatility = _volatility(seed, asset, day) * (1 - LEVERAGE * np.clip(yesterday, -3, 3))
    returns = volatility * (move + DRIFT * _in_part_common(seed, "drift", asset, day, DRIFT_DAYS, DRIFT_IN_COMMON))
    walk = accumulate(returns.tolist(), lambda level, log_return: level * (1 - PULL) + log_return, initial=start)
    levels = np.fromiter(walk, dtype=np.float64)
    return SimulatedDays(levels[:-1], levels[1:], volatility)


def _volatility(seed: int, asset: str, day: Counters) -> Floats:
    wildness = sum(
        variance**0.5 * _in_part_common(seed, f"volatility {length}", asset, day, length, VOLATILITY_IN_COMMON)
        for length, variance in VOLATILITY_CELLS.items()
    ) - sum(VOLATILITY_CELLS.values())
    return _usual_volatility(asset, day) * np.exp(wildness)


def _usual_volatility(asset: str, day: Counters) -> Floats:
    group = group_of(asset)
    weekend = (day + 2) % 7 >= 5  # day 0 was a Wednesday
    return daily_volatility(asset) * np.where(weekend, WEEKEND[group], WEEKDAY[group])


def _in_part_common(seed: int, matter: str, asset: str, day: Counters, length: int, share: float) -> Floats:
    """A standard normal variable held for `length` days; `share` of its variance is common to the group."""
    common = held_normals(stream(seed, "day", matter, group_of(asset)), day, length)
    values = held_normals(stream(seed, "day", matter, asset), day, length)
    return share**0.5 * common + (1 - share) ** 0.5 * values


def _expected_in_part_common(
    seed: int, matter: str, asset: str, day: Counters, length: int, share: float
) -> tuple[Floats, Floats]:
    """Mean and variance of `_in_part_common` as expected on the first of the days: cells that begin later are unknown.

    The variance is 0 where both parts are known and 1 where neither is.
    """
    mean, unknown = np.zeros(len(day)), np.zeros(len(day))
    for name, part in ((group_of(asset), share), (asset, 1 - share)):
        key = stream(seed, "day", matter, name)
        is_known = in_first_cell(key, day, length)
        mean += part**0.5 * np.where(is_known, held_normals(key, day, length), 0.0)
        unknown += part * ~is_known
    return mean, unknown


Counters = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

# Numbers are a pure function of a key and a counter. SplitMix64 (Steele, Lea and Flood 2014) applies a finaliser to a
# counter, so its n-th number is computed without the numbers before it. NumPy does not guarantee stable streams between
# versions (NEP 19); this integer arithmetic gives the same numbers on every machine.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)

# Mask of the even-numbered 16-bit parts of a word, which has four.
EVEN_PARTS = np.uint64(0x0000FFFF0000FFFF)
LOW_HALF = np.uint64(0xFFFFFFFF)
# Mean and standard deviation of the sum of eight integers drawn uniformly from 0 to 65,535.
SUM_MEAN = 8 * 65535 / 2
SUM_SD = float(np.sqrt(8 * (65536**2 - 1) / 12))


@lru_cache(maxsize=4096)
def stream(*address: str | int) -> np.uint64:
    """The key of the number stream with the name `address`."""
    name = "/".join(str(part) for part in address)
    return np.uint64(int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big"))


def words(key: np.uint64, counters: Counters) -> Words:
    """64 random bits for each counter, in the shape of `counters`; a counter may be negative."""
    return _finalised(counters.view(np.uint64) * GAMMA + key)


def uniforms(key: np.uint64, counters: Counters) -> tuple[Floats, Floats]:
    """Two independent numbers strictly between 0 and 1 for each counter, in steps of 2**-32."""
    sample = words(key, counters)
    return _inside(sample >> np.uint64(32)), _inside(sample & LOW_HALF)


def normals(key: np.uint64, counters: Counters) -> Floats:
    """A number of mean 0 and variance 1 for each counter: the scaled sum of eight 16-bit uniforms.

    It approximates a normal variable with excess kurtosis -0.15 and a maximum of 4.9 (Irwin and Hall 1927). The fat
    tails of the simulated market come from its volatility, not from these numbers.
    """
    states = (counters.view(np.uint64) << np.uint64(1)) * GAMMA + key
    parts = _pairs(_finalised(states + GAMMA))
    parts += _pairs(_finalised(states))
    return ((parts & LOW_HALF) + (parts >> np.uint64(32))).astype(np.float64) * (1 / SUM_SD) - SUM_MEAN / SUM_SD


def held_normals(key: np.uint64, counters: Counters, length: int) -> Floats:
    """A normal variable that keeps its value for `length` counters; the key determines where these cells begin.

    `counters` must be consecutive.
    """
    if length == 1:
        return normals(key, counters)
    shift = _shift(key, length)
    first, past = divmod(int(counters[0]) + shift, length)
    last = (int(counters[-1]) + shift) // length
    return np.repeat(normals(key, np.arange(first, last + 1)), length)[past : past + len(counters)]


def in_first_cell(key: np.uint64, counters: Counters, length: int) -> NDArray[np.bool_]:
    """Which counters lie in the cell of the first one, where `held_normals` has its value."""
    cells = (counters + _shift(key, length)) // length
    return cells == cells[0]


def _shift(key: np.uint64, length: int) -> int:
    return int(key % np.uint64(length))


def _finalised(state: Words) -> Words:
    """The finaliser of SplitMix64, in place."""
    state ^= state >> np.uint64(30)
    state *= FIRST_FACTOR
    state ^= state >> np.uint64(27)
    state *= SECOND_FACTOR
    state ^= state >> np.uint64(31)
    return state


def _pairs(sample: Words) -> Words:
    """The sums of two pairs of the 16-bit parts of each word, one in each half of the result."""
    return (sample & EVEN_PARTS) + ((sample >> np.uint64(16)) & EVEN_PARTS)


def _inside(halves: Words) -> Floats:
    return (halves.astype(np.float64) + 0.5) * 2.0**-32
