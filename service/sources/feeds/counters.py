"""Counter-based random numbers: each number is a pure function of a key and a counter.

SplitMix64 (Steele, Lea and Flood 2014) applies a finaliser to a counter, so its n-th number is computed without the
numbers before it. NumPy does not guarantee stable streams between versions (NEP 19); this integer arithmetic gives
the same numbers on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Counters = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

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
    drawn = words(key, counters)
    return _inside(drawn >> np.uint64(32)), _inside(drawn & LOW_HALF)


def normals(key: np.uint64, counters: Counters) -> Floats:
    """A number of mean 0 and variance 1 for each counter: the scaled sum of eight 16-bit uniforms.

    It approximates a normal variable with excess kurtosis -0.15 and a maximum of 4.9 (Irwin and Hall 1927). The fat
    tails of the simulated market come from its volatility, not from these numbers.
    """
    even = (counters.view(np.uint64) << np.uint64(1)) * GAMMA + key
    parts = _pairs(_finalised(even + GAMMA))
    parts += _pairs(_finalised(even))
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


def _pairs(drawn: Words) -> Words:
    """The sums of two pairs of the 16-bit parts of each word, one in each half of the result."""
    return (drawn & EVEN_PARTS) + ((drawn >> np.uint64(16)) & EVEN_PARTS)


def _inside(halves: Words) -> Floats:
    return (halves.astype(np.float64) + 0.5) * 2.0**-32
