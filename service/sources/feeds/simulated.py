"""The simulated market: any bar of any asset at any time is a pure function of the seed.

Within a day, prices follow a Brownian bridge between the open and the close of the daily skeleton, so a day does not
depend on the bars of other days. Whole days are computed and then cut, so the edges of a window do not affect its bars.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.market.assets import ASSETS, is_open, open_at
from service.market.bars import Bars, empty, join, resample
from service.market.instants import DAY, HOUR, MINUTE, World, WorldClock
from service.market.prices import ASSUMED_RATES, Rates
from service.sources.feeds.feed import FetchedBars
from service.sources.feeds.simulated_days import (
    EPOCH,
    INSTRUMENTS,
    Counters,
    Floats,
    Group,
    SimulatedDays,
    common_move,
    daily_volatility,
    days,
    expected_days,
    group_of,
    held_normals,
    normals,
    own_move,
    stream,
    uniforms,
)

# Increase it with every change that affects any bar.
VERSION = 1

STEP = 5 * MINUTE
BARS_A_DAY = DAY // STEP
DAYS_AT_ONCE = 64  # so that the arrays fit in the cache of a processor

# The variance of a bar's log volatility by the length of its cells in bars, and the share common to the group.
VOLATILITY_CELLS = {1: 0.09, 4: 0.10, 12: 0.11, 36: 0.09, 96: 0.07}
VOLATILITY_IN_COMMON = 0.75
# The intraday profile of volatility, as a multiple of the day's volatility, at these hours UTC.
HOURS = (0, 2, 4, 6, 8, 11, 13, 14, 15, 16, 18, 21, 24)
PROFILE = (1.10, 0.92, 0.74, 0.76, 0.82, 0.80, 0.95, 1.45, 1.55, 1.30, 1.16, 1.05, 1.10)
LOG_PROFILE = np.log(np.interp(np.arange(BARS_A_DAY) / 12, HOURS, PROFILE))
# The probability of news in a bar, for a whole group or for one asset, and the factor by which it raises the variance.
COMMON_NEWS, COMMON_NEWS_FACTOR = 1.5e-4, 40
OWN_NEWS, OWN_NEWS_FACTOR = 2.5e-4, 25
# Volume is a power of a bar's relative volatility, times a lognormal variable with this spread.
VOLUME_POWER = 1.3
VOLUME_SPREAD = 0.45
VOLUME_SHIFT = -0.1
# The mean shares of a day's hours in its variance are measured on this many days of a world with this seed.
MEASURED_DAYS, OTHER_SEED = 512, -1


@dataclass(frozen=True)
class SimulatedFeed:
    """The simulated world of one seed; it begins in 2020 and never ends."""

    seed: int
    history_from: int
    world: ClassVar[World] = "simulated"
    step = STEP
    assets = tuple(INSTRUMENTS)
    coins = None

    @property
    def fingerprint(self) -> str:
        return f"simulated/{VERSION} seed {self.seed}"

    def clock(self, wall: int) -> WorldClock:
        return WorldClock("simulated", world_origin=wall, wall_origin=wall)

    def fetch(self, asset: str, since: int, until: int, step: int | None = None) -> FetchedBars:
        window = bars(self.seed, asset, since, until)
        return FetchedBars(resample(window, step or STEP), (), f"simulated (seed {self.seed})")

    def rates(self) -> Rates:
        return ASSUMED_RATES

    def expected_return(self, asset: str, since: int, until: int) -> tuple[float, float]:
        """Mean and variance of the log return of `asset` from one unix second to another, as expected at the first.

        It knows the law of this world and the cells of volatility and drift that hold on the day of `since`, but no
        move and no later cell. Prices are those of the last bars; a closed market has that of its last open hour.
        """
        since, until = _last_open(asset, since) - EPOCH, _last_open(asset, until) - EPOCH
        first, last = since // DAY, -(-until // DAY)
        means, variances = expected_days(self.seed, asset, first, last)
        shares = np.ones(last - first)
        shares[0] -= _share_of_day(asset, since - first * DAY)
        shares[-1] -= 1 - _share_of_day(asset, until - (last - 1) * DAY)
        return float(means @ shares), float(variances @ shares)


def _last_open(asset: str, time: int) -> int:
    """The unix second `time`, or the end of the last open hour before it."""
    while not is_open(asset, time - 1):
        time = (time - 1) // HOUR * HOUR
    return time


def _share_of_day(asset: str, second: float) -> float:
    """The expected share of a day's variance until a second of it."""
    return float(np.interp(second / STEP, np.arange(BARS_A_DAY + 1), _running_shares(asset)))


@lru_cache(maxsize=len(INSTRUMENTS))
def _running_shares(asset: str) -> Floats:
    """The mean share of a day's variance until the beginning of each bar, over days of another world."""
    bar = np.arange(MEASURED_DAYS * BARS_A_DAY)
    group_values = _shared(OTHER_SEED, group_of(asset), 0, MEASURED_DAYS)
    weights = _variance_weights(OTHER_SEED, asset, bar, group_values).mean(axis=0)
    return np.concatenate([[0.0], np.cumsum(weights)])


def bars(seed: int, asset: str, since: int, until: int) -> Bars:
    """The five-minute bars of `asset` that open at or after `since` and end by `until`, in unix seconds."""
    first, last = max(since - EPOCH, 0) // DAY, -((EPOCH - until) // DAY)
    parts = [
        _whole_days(seed, asset, start, min(start + DAYS_AT_ONCE, last)) for start in range(first, last, DAYS_AT_ONCE)
    ]
    return join(parts).since(since).until(until) if parts else empty(STEP)


class Shared(NamedTuple):
    """The values that a whole group shares at each bar: a standard normal move, log volatility, and news."""

    move: Floats
    wildness: Floats
    news: NDArray[np.bool_]


@lru_cache(maxsize=32)
def _shared(seed: int, group: Group, first: int, last: int) -> Shared:
    """The shared values of the days from `first` up to but excluding `last`; cached for the assets of the group."""
    bar = np.arange(first * BARS_A_DAY, last * BARS_A_DAY)
    news, _ = uniforms(stream(seed, "bar", "news", group), bar)
    wildness = VOLATILITY_IN_COMMON**0.5 * _wildness(seed, group, bar)
    return Shared(common_move(seed, "bar", group, bar), wildness, news < COMMON_NEWS)


def _whole_days(seed: int, asset: str, first: int, last: int) -> Bars:
    """The bars of the days from `first` up to but excluding `last`, in the trading hours of the asset."""
    bar = np.arange(first * BARS_A_DAY, last * BARS_A_DAY)
    group_values = _shared(seed, group_of(asset), first, last)
    skeleton = days(seed, asset, first, last)
    weights = _variance_weights(seed, asset, bar, group_values)
    levels = _levels(skeleton, weights, own_move(seed, "bar", asset, group_values.move, bar))
    highs, lows = _extremes(seed, asset, bar, levels, skeleton.volatility[:, None] ** 2 * weights)
    prices = _to_prices(asset, levels)
    opens, closes = prices[:, :-1].ravel(), prices[:, 1:].ravel()
    times = EPOCH + bar * STEP
    trades = open_at(asset, times)
    columns = (
        opens,
        np.maximum(_to_prices(asset, highs).ravel(), np.maximum(opens, closes)),
        np.minimum(_to_prices(asset, lows).ravel(), np.minimum(opens, closes)),
        closes,
        _volumes(seed, asset, bar, skeleton, weights),
    )
    return Bars(times[trades], *(column[trades] for column in columns), step=STEP)


def _variance_weights(seed: int, asset: str, bar: Counters, group_values: Shared) -> Floats:
    """The share of each bar in the variance of its day, shape (days, BARS_A_DAY); each row sums to 1."""
    news, _ = uniforms(stream(seed, "bar", "news", asset), bar)
    wildness = group_values.wildness + (1 - VOLATILITY_IN_COMMON) ** 0.5 * _wildness(seed, asset, bar)
    weights = np.exp(2 * (wildness.reshape(-1, BARS_A_DAY) + LOG_PROFILE))
    weights.ravel()[group_values.news] *= COMMON_NEWS_FACTOR
    weights.ravel()[news < OWN_NEWS] *= OWN_NEWS_FACTOR
    return weights / weights.sum(axis=1, keepdims=True)


def _wildness(seed: int, name: str, bar: Counters) -> Floats:
    """The log volatility of each bar relative to its day, either specific to an asset or common to a group."""
    cells = (
        variance**0.5 * held_normals(stream(seed, "bar", f"volatility {length}", name), bar, length)
        for length, variance in VOLATILITY_CELLS.items()
    )
    return sum(cells, start=np.zeros(len(bar)))


def _levels(skeleton: SimulatedDays, weights: Floats, move: Floats) -> Floats:
    """log(price / starting price) at the ends of each bar, shape (days, BARS_A_DAY + 1).

    `move` is a standard normal variable for each bar. The sum of a day's moves is subtracted, so that the path meets
    the skeleton at both ends of the day.
    """
    noise = np.sqrt(weights) * move.reshape(weights.shape)
    noise -= weights * noise.sum(axis=1, keepdims=True)
    steps = skeleton.volatility[:, None] * noise + weights * (skeleton.closes - skeleton.opens)[:, None]
    levels = np.empty((len(steps), BARS_A_DAY + 1))
    levels[:, 0] = skeleton.opens
    levels[:, 1:] = skeleton.opens[:, None] + np.cumsum(steps, axis=1)
    levels[:, -1] = skeleton.closes
    return levels


def _extremes(seed: int, asset: str, bar: Counters, levels: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """The highest and lowest level within each bar: exact draws for a Brownian bridge between its ends."""
    start, end = levels[:, :-1], levels[:, 1:]
    up, down = (sample.reshape(start.shape) for sample in uniforms(stream(seed, "bar", "extremes", asset), bar))
    move = (end - start) ** 2
    highs = (start + end + np.sqrt(move - 2 * variance * np.log(up))) / 2
    lows = (start + end - np.sqrt(move - 2 * variance * np.log(down))) / 2
    return highs, lows


def _to_prices(asset: str, levels: Floats) -> Floats:
    """Prices in USD, rounded to the tick of the asset."""
    steps_a_dollar = round(1 / ASSETS[asset].tick)
    return np.rint(INSTRUMENTS[asset].start * steps_a_dollar * np.exp(levels)) / steps_a_dollar


def _volumes(seed: int, asset: str, bar: Counters, skeleton: SimulatedDays, weights: Floats) -> Floats:
    """Volumes in units of the asset, to four decimals; they increase with volatility."""
    day = (skeleton.volatility / daily_volatility(asset))[:, None] ** 2
    wildness = np.log(weights * BARS_A_DAY * day).ravel() / 2
    spread = VOLUME_SPREAD * normals(stream(seed, "bar", "volume", asset), bar)
    return np.round(INSTRUMENTS[asset].volume * np.exp(VOLUME_POWER * wildness + spread + VOLUME_SHIFT), 4)
