"""The daily skeleton of the simulated market: the open, the close and the volatility of each day of each asset.

It is a pure function of (seed, asset, day). Each day continues from the day before, so days are computed in cached
blocks; days count from EPOCH. Every parameter is assumed, chosen so that the five-minute bars have the stylised facts
of real markets (tests/sources/feeds/test_stylised_facts.py).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from service.market.assets import ASSETS, calendar_of
from service.sources.feeds.counters import Counters, Floats, held_normals, in_first_cell, normals, stream

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
    levels = np.fromiter(accumulate(returns.tolist(), _next_level, initial=start), dtype=np.float64)
    return SimulatedDays(levels[:-1], levels[1:], volatility)


def _next_level(level: float, log_return: float) -> float:
    return level * (1 - PULL) + log_return


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
    own = held_normals(stream(seed, "day", matter, asset), day, length)
    return share**0.5 * common + (1 - share) ** 0.5 * own


def _expected_in_part_common(
    seed: int, matter: str, asset: str, day: Counters, length: int, share: float
) -> tuple[Floats, Floats]:
    """Mean and variance of `_in_part_common` as expected on the first of the days: cells that begin later are unknown.

    The variance is 0 where both parts are known and 1 where neither is.
    """
    mean, unknown = np.zeros(len(day)), np.zeros(len(day))
    for whose, part in ((group_of(asset), share), (asset, 1 - share)):
        key = stream(seed, "day", matter, whose)
        is_known = in_first_cell(key, day, length)
        mean += part**0.5 * np.where(is_known, held_normals(key, day, length), 0.0)
        unknown += part * ~is_known
    return mean, unknown
