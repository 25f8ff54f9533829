"""Events counted on simulated paths.

A voter reads the paths in its own distribution; where that has a drift, paths count by how likely their last price is,
which is all that a drift changes of a Brownian path (Girsanov 1960).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import Density
from service.forecasting.densities.paths import PATHS, Paths, Singles
from service.market.instants import iso_all
from service.questions.kinds.path import Path
from service.questions.question import Question
from service.scores.proper import Array

Flags = NDArray[np.bool_]

BINS = 8  # of the last price, equally likely by the base
EDGES = np.arange(1, BINS) / BINS


@dataclass(frozen=True)
class SimulatedPaths(Path):
    """Paths from the unix second `now` to `until` in the distribution `density`, from the price `spot` in USD."""

    paths: Paths
    density: Density
    spot: float
    now: int
    until: int

    @property
    def sigma(self) -> float:
        """The standard deviation of the log return, which is the unit of the paths."""
        return self.density.sigma

    @property
    def start(self) -> float:
        return 0.0

    @property
    def last(self) -> Singles:
        return self.paths.closes[-1]

    @property
    def final(self) -> Array:
        sizes = _translated(np.abs(self.last), self.paths.close_sizes, self.density.close)
        return self.spot * np.exp(self.sigma * np.copysign(sizes, self.last))

    @property
    def average(self) -> Array:
        """To the second order in the moves."""
        return self.paths.mean + self.sigma * self.paths.spread / 2

    @property
    def width(self) -> Array:
        highest, lowest = self.reached(self.paths.maximum), self.reached(-self.paths.minimum)
        return np.exp(highest) - np.exp(-lowest)

    def reached(self, extremes: Singles) -> Array:
        """Log returns of running extremes, given as sizes in the unit of the paths."""
        return self.sigma * _translated(extremes, self.paths.maximum_sizes, self.density.maximum)

    @property
    def steps(self) -> int:
        return len(self.paths.times)

    def level(self, usd: float) -> float:
        z = math.log(usd / self.spot) / self.sigma
        return math.copysign(_translated(np.array(abs(z)), self.density.close, self.paths.close_sizes), z)

    def extreme(self, usd: float, side: int) -> float:
        """The same of a level that is touched from below with the side 1, as a size; -inf of one that is passed."""
        z = np.array(side * math.log(usd / self.spot) / self.sigma)
        return float(_translated(z, self.density.maximum, self.paths.maximum_sizes)) if z > 0 else -math.inf

    def closes(self, instants: Sequence[int]) -> Singles:
        return self.paths.at(np.array(instants))

    def total(self, instants: Sequence[int]) -> Array:
        return self.spot * np.exp(np.float32(self.sigma) * self.closes(instants)).sum(axis=0, dtype=np.float64)

    def reaches(self, usd: float, side: int) -> Flags:
        if side > 0:
            return self.paths.maximum >= self.extreme(usd, side)
        return self.paths.minimum <= -self.extreme(usd, side)

    def step(self, usd: float, side: int) -> NDArray[np.uint8]:
        size = self.extreme(usd, side)
        not_reached = self.paths.highest < size if side > 0 else self.paths.lowest > -size
        return not_reached.view(np.uint8).sum(axis=0, dtype=np.uint8)


@dataclass(frozen=True)
class PathPoint:
    """The price in USD of a sample path at an instant, in the distribution of one voter."""

    path: int
    voter: str
    time: datetime
    price: float


def path_points(spot: float, paths: Paths, densities: Mapping[str, Density], count: int) -> Iterator[tuple]:
    """The values of PathPoint of the first `count` paths, which begin at the price `spot`.

    Each pair of paths, one the mirror of the other in the unit of the paths, is read in the distribution of the next
    voter. So over many paths the last prices follow the equal mixture of the voters.
    """
    times, voters = iso_all(paths.times), list(densities)
    for place, column in enumerate(np.arange(PATHS).reshape(2, -1).T.ravel()[:count].tolist()):
        voter = voters[place // 2 % len(voters)]
        density, closes = densities[voter], np.asarray(paths.closes[:, column], np.float64)
        sizes = _translated(np.abs(closes), paths.close_sizes, density.close)
        for time, price in zip(
            times, (spot * np.exp(density.sigma * np.copysign(sizes, closes))).tolist(), strict=True
        ):
            yield place, voter, time, float(f"{price:.7g}")


def _translated(sizes: NDArray, source: Array, target: Array) -> Array:
    """Sizes with the same probabilities among quantiles `target` as `sizes` among `source`, in proportion beyond."""
    knots = np.maximum.accumulate(source + np.arange(len(source)) * 1e-9)
    return np.where(sizes > knots[-1], target[-1] / knots[-1] * sizes, np.interp(sizes, knots, target))


def p_event(question: Question, path: SimulatedPaths) -> float:
    """P(event): in each bin of the last price, its probability times the share of its paths with the event."""
    events = np.asarray(question.kind.event(question, path), dtype=float)
    shares = events[path.paths.order].reshape(BINS, PATHS // BINS).mean(axis=1)
    edges = replace(path.density, drift=0.0).quantiles(EDGES).tolist()
    above = [1.0, *map(path.density.above, edges), 0.0]
    return float(-np.diff(above) @ shares)


HALF = 0.5  # added to each count, so that an odds ratio is finite (Haldane 1956)


def odds_ratio(first: Flags, second: Flags) -> float:
    """The odds of the second event where the first took place, over its odds elsewhere; by path, shape (PATHS,)."""
    yes_yes, yes_no, no_yes, no_no = (
        float(np.count_nonzero(cell)) + HALF
        for cell in (first & second, first & ~second, ~first & second, ~first & ~second)
    )
    return yes_yes * no_no / (yes_no * no_yes)


def p_both(first: float, second: float, ratio: float) -> float:
    """P(both) of two events with these probabilities and this odds ratio.

    Solves `ratio = x (1 - p - q + x) / ((p - x) (q - x))` for x; independent events have the ratio 1.
    """
    if abs(ratio - 1) < 1e-9:
        return first * second
    total = 1 + (first + second) * (ratio - 1)
    return (total - math.sqrt(total * total - 4 * ratio * (ratio - 1) * first * second)) / (2 * (ratio - 1))
