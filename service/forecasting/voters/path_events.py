"""Events that the whole path of a price decides, counted on simulated paths.

Each event is a function of the path, in one table. A voter reads the paths in its own distribution; where that has a
drift, paths count by how likely their last price is, which is all that a drift changes of a Brownian path (Girsanov
1960).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import Density
from service.forecasting.densities.paths import PATHS, Paths
from service.market.assets import trading_days
from service.questions.question import Question

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

BINS = 8  # of the last price, equally likely by the base
EDGES = np.arange(1, BINS) / BINS


@dataclass(frozen=True)
class PathReader:
    """Paths from the unix second `now` to `until` in the distribution of `own`."""

    paths: Paths
    own: Density
    now: int
    until: int

    @property
    def sigma(self) -> float:
        """The standard deviation of the log return, which is the unit of the paths."""
        return self.own.sigma

    def close(self, question: Question) -> float:
        """The log price of the question's level at a close, in the unit of the paths."""
        z = math.log(question.threshold / question.spot) / self.sigma
        return math.copysign(_translated(np.array(abs(z)), self.own.close, self.paths.close_sizes), z)

    def extreme(self, level: float, spot: float) -> float:
        """The same of a level that is touched, as a size."""
        z = np.array(abs(math.log(level / spot)) / self.sigma)
        return float(_translated(z, self.own.maximum, self.paths.maximum_sizes))

    def last_returns(self) -> Array:
        """Log returns until the deadline."""
        last = self.paths.closes[-1]
        return self.sigma * np.copysign(_translated(np.abs(last), self.paths.close_sizes, self.own.close), last)

    def reached(self, extremes: NDArray[np.float32]) -> Array:
        """Log returns of running extremes, given as sizes in the unit of the paths."""
        return self.sigma * _translated(extremes, self.paths.maximum_sizes, self.own.maximum)


def _translated(sizes: NDArray, own: Array, other: Array) -> Array:
    """The sizes with the same probabilities among quantiles `other` as `sizes` among `own`, in proportion beyond."""
    rising = np.maximum.accumulate(own + np.arange(len(own)) * 1e-9)
    return np.where(sizes > rising[-1], other[-1] / rising[-1] * sizes, np.interp(sizes, rising, other))


def p_event(own: Density, shares: Array) -> float:
    """P(event) where `shares` of the paths have it, by bin of the last price from the lowest, shape (BINS,)."""
    edges = replace(own, drift=0.0).quantiles(EDGES).tolist()
    above = [1.0, *map(own.above, edges), 0.0]
    return float(-np.diff(above) @ shares)


def shares_of(question: Question, reader: PathReader) -> Array:
    """The share of the paths on which the event of the question takes place, by bin of the last price."""
    happened = EVENTS[question.comparator](question, reader)
    return happened[reader.paths.order].reshape(BINS, PATHS // BINS).mean(axis=1)


def _order(question: Question, reader: PathReader) -> tuple[NDArray, NDArray, int]:
    """The step at which each path reaches the upper and the lower level, and the number of steps, which means never."""
    lower, upper = question.bounds
    rises = _steps(reader.paths.highest < reader.extreme(upper, question.spot))
    falls = _steps(reader.paths.lowest > -reader.extreme(lower, question.spot))
    return rises, falls, len(reader.paths.times)


def _steps(waiting: Flags) -> NDArray[np.uint8]:
    return waiting.view(np.uint8).sum(axis=0, dtype=np.uint8)


def _first(own: NDArray, other: NDArray, never: int) -> Array:
    """1 where the own level is reached first, one half where both are within one step."""
    return (own < other) + 0.5 * ((own == other) & (own < never))


def _upper_first(question: Question, reader: PathReader) -> Array:
    rises, falls, never = _order(question, reader)
    return _first(rises, falls, never)


def _lower_first(question: Question, reader: PathReader) -> Array:
    rises, falls, never = _order(question, reader)
    return _first(falls, rises, never)


def _range(question: Question, reader: PathReader) -> Array:
    highest, lowest = reader.reached(reader.paths.maximum), reader.reached(-reader.paths.minimum)
    return (np.exp(highest) - np.exp(-lowest) > question.size).astype(float)


def _days(question: Question, reader: PathReader) -> NDArray[np.float32]:
    """The prices at the ends of the trading days, shape (days, PATHS)."""
    return reader.paths.at(np.array(trading_days(question.asset, question.counted_since(reader.now), reader.until)))


def _moves(question: Question, reader: PathReader) -> NDArray[np.float32]:
    """From the end of each trading day to the next, the first from the price at the beginning of the count."""
    first = reader.paths.at(np.array([question.counted_since(reader.now)]))
    return np.diff(_days(question, reader), axis=0, prepend=first)


def _enough(question: Question, days: Flags) -> Array:
    """1 where the days that count are enough, of all or in a row."""
    most = longest_run(days) if question.in_a_row else days.sum(axis=0)
    return (most >= question.least_days).astype(float)


def longest_run(days: Flags) -> NDArray[np.int64]:
    """The longest run of days in a row, along the first axis of shape (days, …)."""
    run = longest = np.zeros(days.shape[1:], dtype=np.int64)
    for day in days:
        run = (run + 1) * day
        longest = np.maximum(longest, run)
    return longest


def _average(question: Question, reader: PathReader) -> Array:
    """Log of the average price less that of the level, in the unit of the paths, to the second order in the moves."""
    return reader.paths.mean + reader.sigma * reader.paths.spread / 2 - reader.close(question)


def _above_mean(question: Question, reader: PathReader) -> Array:
    """How far, in USD, the last price is above the mean of the last daily closes."""
    ends = np.array(trading_days(question.asset, reader.now, reader.until)[-question.least_days :])
    closes = question.spot * np.exp(np.float32(reader.sigma) * reader.paths.at(ends)).sum(axis=0, dtype=np.float64)
    stored = question.least_days - len(ends)
    mean = (stored * (question.level or 0.0) + closes) / question.least_days
    return question.spot * np.exp(reader.last_returns()) - mean


EVENTS: dict[str, Callable[[Question, PathReader], Array]] = {
    "upper_first": _upper_first,
    "lower_first": _lower_first,
    "range": _range,
    "above_moving_average": lambda question, reader: (_above_mean(question, reader) > 0).astype(float),
    "below_moving_average": lambda question, reader: (_above_mean(question, reader) < 0).astype(float),
    "days_above": lambda question, reader: _enough(question, _days(question, reader) > reader.close(question)),
    "days_below": lambda question, reader: _enough(question, _days(question, reader) < reader.close(question)),
    "days_up": lambda question, reader: _enough(question, _moves(question, reader) > 0),
    "days_down": lambda question, reader: _enough(question, _moves(question, reader) < 0),
    "average_above": lambda question, reader: (_average(question, reader) > 0).astype(float),
    "average_below": lambda question, reader: (_average(question, reader) < 0).astype(float),
}


HALF = 0.5  # added to each count, so that an odds ratio is finite (Haldane 1956)


def odds_ratio(first: Flags, second: Flags) -> float:
    """The odds of the second event where the first took place, over its odds elsewhere; by path, shape (PATHS,)."""
    both, only_first, only_second, neither = (
        float(np.count_nonzero(cell)) + HALF
        for cell in (first & second, first & ~second, ~first & second, ~first & ~second)
    )
    return both * neither / (only_first * only_second)


def p_both(first: float, second: float, ratio: float) -> float:
    """P(both) of two events with these probabilities and this odds ratio.

    Solves `ratio = x (1 - p - q + x) / ((p - x) (q - x))` for x; independent events have the ratio 1.
    """
    if abs(ratio - 1) < 1e-9:
        return first * second
    total = 1 + (first + second) * (ratio - 1)
    return (total - math.sqrt(total * total - 4 * ratio * (ratio - 1) * first * second)) / (2 * (ratio - 1))


def on_paths(event: Question, reader: PathReader) -> Flags:
    """The paths on which the event of a leg takes place, shape (PATHS,); `negated` turns it round."""
    took_place = _took_place(event, reader)
    return ~took_place if event.negated else took_place


def _took_place(event: Question, reader: PathReader) -> Flags:
    paths = reader.paths
    match event.comparator:
        case "touch_above":
            return paths.maximum >= reader.extreme(event.threshold, event.spot)
        case "touch_below":
            return paths.minimum <= -reader.extreme(event.threshold, event.spot)
        case "close_above":
            return paths.closes[-1] > reader.close(event)
        case "close_below":
            return paths.closes[-1] < reader.close(event)
        case "up":
            return paths.closes[-1] > 0
    return paths.closes[-1] < 0
