"""Paths of the log price until a deadline, in the unit of a view's distribution.

One set of shocks serves every question: a GARCH(1,1) process with Student's t shocks (Bollerslev 1987), as many paths
down as up. The seasonal clock stretches its steps. A view reads the paths in its own distribution: the size of a close
in the paths and the size in the distribution with the same probability stand for each other, and so do the sizes of
running extremes. So closes and touches counted on the paths are as likely as the view says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import LEVELS
from service.forecasting.densities.fitting import SEED, SIMULATED_BETA
from service.forecasting.densities.models import ALPHA
from service.forecasting.densities.season import Season
from service.market.assets import open_hours_between
from service.market.instants import HOUR
from service.scores.proper import Array

Singles = NDArray[np.float32]

PATHS = 4096
TAIL = 4  # degrees of freedom of the shocks
HOURLY = 36  # steps of one hour; later steps are longer
LATER = 60  # steps at most after them, of whole hours, of whole days beyond a day
STEPS = HOURLY + LATER + 2
LENGTHS_H = (1, 2, 3, 4, 6, 8, 12)
LEAST_STEP = 1e-9  # share of the horizon in a step that counts


@dataclass(frozen=True)
class Paths:
    """`closes` are the log prices at the ends of the steps, shape (steps, PATHS): 0 at the start, variance near 1.

    `times` are the ends in unix seconds and `hours` the open hours of the steps, shape (steps,) each. The second half
    of the paths mirrors the first, for which `variances` are the expected ones of each step, shape (steps, PATHS / 2).
    `draw` is the set of draws of the extremes within steps.
    """

    times: NDArray[np.int64]
    hours: Array
    closes: Singles
    variances: Singles
    draw: int = 0
    _at: dict[bytes, Singles] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The paths ordered by their last price."""
        return np.argsort(self.closes[-1])

    @cached_property
    def highest(self) -> Singles:
        """The running maximum, at least 0, shape (steps, PATHS).

        With the ends 0 and d and the variance v the maximum of a Brownian bridge is (d + sqrt(d^2 - 2 v ln U)) / 2,
        with U uniform in (0, 1) (Beaghton 1988). The mirrored paths rise where the others fall.
        """
        middles = self.closes.copy()
        middles[1:] += self.closes[:-1]
        middles *= 0.5
        halves = (self.closes - middles)[:, : PATHS // 2]
        squares = halves * halves
        rises, falls = (np.sqrt(squares + self.variances * draw) for draw in _draws(self.draw)[:, : len(squares)])
        return _running(np.maximum, np.maximum(middles + np.hstack([rises, falls]), 0))

    @property
    def lowest(self) -> Singles:
        """The running minimum, at most 0: that of a path is the maximum of the mirrored one."""
        return -np.roll(self.highest, PATHS // 2, axis=1)

    @property
    def maximum(self) -> Singles:
        """The running maximum at the end, shape (PATHS,)."""
        return self.highest[-1]

    @property
    def minimum(self) -> Singles:
        """The running minimum at the end, shape (PATHS,)."""
        return -np.roll(self.maximum, PATHS // 2)

    @cached_property
    def close_sizes(self) -> Array:
        """The quantiles at LEVELS of the size of the last price."""
        return np.quantile(np.abs(self.closes[-1, : PATHS // 2]), LEVELS)

    @cached_property
    def maximum_sizes(self) -> Array:
        """The quantiles at LEVELS of the running maximum, which is as large up as down."""
        return np.asarray(np.quantile(self.maximum, LEVELS), np.float64)

    @cached_property
    def mean(self) -> Array:
        """The mean log price of each path over its open hours, shape (PATHS,)."""
        return np.asarray(self._shares @ self.closes, np.float64)

    @cached_property
    def spread(self) -> Array:
        """The variance of the log price of each path over its open hours, shape (PATHS,)."""
        return np.asarray(self._shares @ np.square(self.closes), np.float64) - np.square(self.mean)

    @property
    def _shares(self) -> Singles:
        return (self.hours / self.hours.sum()).astype(np.float32)

    def at(self, times: NDArray[np.int64]) -> Singles:
        """The last prices at or before unix seconds after the start, shape (times, PATHS); kept for other voters."""
        key = times.tobytes()
        if key not in self._at:
            places = np.searchsorted(self.times, times, side="right")
            self._at[key] = np.where((places == 0)[:, None], np.float32(0), self.closes[places - 1])
        return self._at[key]


def paths(asset: str, since: int, until: int, season: Season | None) -> Paths:
    """The paths of an asset between two unix seconds with open hours; every open hour counts alike without a season."""
    steps = _steps(asset, _edges(since, until), season)
    return _walk(steps, *(values[: len(steps.times)] for values in _process(SEED)))


def joint_paths(
    assets: tuple[str, str], since: int, until: int, seasons: tuple[Season | None, ...], correlation: float
) -> tuple[Paths, Paths]:
    """The paths of two assets whose increments in the same step have the correlation; both with open hours."""
    edges = _edges(since, until)
    first, second = (_steps(asset, edges, season) for asset, season in zip(assets, seasons, strict=True))
    (shocks, variances), (other_shocks, other_variances) = _process(SEED), _process(SEED + 2)
    share, rest = np.float32(correlation), np.float32(np.sqrt(1 - correlation**2))
    rows, other_rows = first.places, second.places
    mixture = np.asarray(share * shocks[other_rows] + rest * other_shocks[other_rows], np.float32)
    spreads = np.asarray(share**2 * variances[other_rows] + rest**2 * other_variances[other_rows], np.float32)
    return _walk(first, shocks[rows], variances[rows]), replace(_walk(second, mixture, spreads), draw=1)


@dataclass(frozen=True)
class _Steps:
    """The steps in which an asset moves: their places among all, ends, open hours and shares of the variance."""

    places: NDArray[np.int64]
    times: NDArray[np.int64]
    hours: Array
    shares: Array


def _steps(asset: str, edges: NDArray[np.int64], season: Season | None) -> _Steps:
    hours = open_hours_between(asset, edges[:-1], edges[1:])
    clock_hours = hours if season is None else season.hours(asset, edges[:-1], edges[1:])
    places = np.flatnonzero((hours > 0) & (clock_hours > LEAST_STEP * clock_hours.sum()))
    return _Steps(places, edges[1:][places], hours[places], (clock_hours / clock_hours.sum())[places])


def _walk(steps: _Steps, increments: Singles, variances: Singles) -> Paths:
    scale = np.sqrt(steps.shares).astype(np.float32)[:, None]
    up = _running(np.add, increments * scale)
    return Paths(steps.times, steps.hours, np.hstack([up, -up]), variances * scale**2)


def _running(operation: np.ufunc, rows: Singles) -> Singles:
    """The operation over each row and all before it: many times as fast as `operation.accumulate` along that axis."""
    return np.array(list(accumulate(rows, operation)))


def _edges(since: int, until: int) -> NDArray[np.int64]:
    """The start, the ends of the first hours, of longer steps up to midnights, and the end, in unix seconds."""
    hours = np.arange(since - since % HOUR + HOUR, until, HOUR)
    later = hours[HOURLY:]
    length = next((length for length in LENGTHS_H if len(later) <= LATER * length), 24 * -(-len(later) // (24 * LATER)))
    return np.concatenate([[since], hours[:HOURLY], later[later % (length * HOUR) == 0], [until]])


@lru_cache(maxsize=2)
def _process(seed: int) -> tuple[Singles, Singles]:
    """The increments of half the paths in equal steps, and their expected variances, with mean 1."""
    generator = np.random.default_rng(seed)
    shocks = generator.standard_t(TAIL, (STEPS, PATHS // 2)) / np.sqrt(TAIL / (TAIL - 2))
    variance, variances = np.ones(PATHS // 2), np.empty_like(shocks)
    for step, shock in enumerate(shocks):
        variances[step] = variance
        variance = (1 - ALPHA - SIMULATED_BETA) + (ALPHA * shock**2 + SIMULATED_BETA) * variance
    return (np.sqrt(variances) * shocks).astype(np.float32), variances.astype(np.float32)


@lru_cache(maxsize=2)
def _draws(place: int) -> Singles:
    """Draws of -ln(U) / 2 for the rises and the falls of half the paths, shape (2, STEPS, PATHS / 2)."""
    size = (2, STEPS, PATHS // 2)
    return (np.random.default_rng(SEED + 1 + 2 * place).exponential(size=size) / 2).astype(np.float32)
