"""From an opinion on one asset to the answer of every kind of question.

An opinion is a curve: the log-odds that the price at the deadline lies above a level, as a function of the level's
distance `z` (log distance from the present price, in standard deviations of plain volatility over the horizon). Every
curve falls in `z`. It has two parts:

* The base is the distribution without a lean: the voter's own view of volatility, with the measured distributions of
  closes and of running extremes; before the first fit a normal distribution, of which a symmetric continuous process
  touches a level twice as often as it closes beyond it (Désiré André, 1887).
* The residual is what the voter has learnt beyond it. Its odd part is a shape, which counts half for touches. Its even
  part is a lean of the price: it becomes the drift of a Brownian motion with the same closing odds, and the probability
  of a touch follows from the reflection principle with drift.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import Density
from service.forecasting.densities.sizes import LEAST_TAIL, LEVELS

Array = NDArray[np.float64]

NORMAL = NormalDist()
# Of the size of a normal value, and by the reflection principle of the running maximum too.
NORMAL_SIZES = np.array([NORMAL.inv_cdf((1 + level) / 2) for level in LEVELS.tolist()])
FURTHEST = 8.0  # larger distances count as this: their odds are below 1e-15
SHAPE_IN_TOUCH = 0.5  # share of a residual's shape that counts for touches
FAST_FADES_H = 720.0  # open hours over which the present volatility gives way to the 180-day one


class Base(Protocol):
    """A symmetric distribution of the log return; distances are in standard deviations of plain volatility."""

    def log_odds(self, z: float) -> float:
        """Of a close above a level at distance `z`."""
        ...

    def touch(self, z: float) -> float:
        """P(some price at or beyond a level at distance `z` > 0, on its side)."""
        ...

    @property
    def sigma_ratio(self) -> float:
        """Standard deviations of plain volatility in one of this distribution."""
        ...

    @property
    def close_sizes(self) -> NDArray[np.float64]:
        """The quantiles at LEVELS of the distance of a close."""
        ...

    @property
    def maximum_sizes(self) -> NDArray[np.float64]:
        """The quantiles at LEVELS of the distance of the running maximum."""
        ...


@dataclass(frozen=True)
class NormalBase:
    """Plain volatility, with normal log returns."""

    sigma_ratio: float = 1.0

    def log_odds(self, z: float) -> float:
        return normal_log_odds(z)

    def touch(self, z: float) -> float:
        return 2 * probability(normal_log_odds(z))

    @property
    def close_sizes(self) -> NDArray[np.float64]:
        return NORMAL_SIZES

    @property
    def maximum_sizes(self) -> NDArray[np.float64]:
        return NORMAL_SIZES


@dataclass(frozen=True)
class ViewBase:
    """A view's distribution; `unit` is one standard deviation of plain volatility.

    Each distance is computed once, as an explanation asks for it with every input left out in turn.
    """

    density: Density
    unit: float
    _odds: dict[float, float] = field(default_factory=dict, compare=False, repr=False)
    _touches: dict[float, float] = field(default_factory=dict, compare=False, repr=False)

    @property
    def sigma_ratio(self) -> float:
        return self.density.sigma / self.unit

    def log_odds(self, z: float) -> float:
        size = abs(z)
        if size not in self._odds:
            self._odds[size] = self.density.log_odds_above(size * self.unit)
        return math.copysign(self._odds[size], -z)

    def touch(self, z: float) -> float:
        if z not in self._touches:
            self._touches[z] = max(2 * LEAST_TAIL, self.density.touch(z * self.unit))
        return self._touches[z]

    @property
    def close_sizes(self) -> NDArray[np.float64]:
        return self.sigma_ratio * self.density.close

    @property
    def maximum_sizes(self) -> NDArray[np.float64]:
        return self.sigma_ratio * self.density.maximum


def _no_residual(_: float) -> float:
    return 0.0


@dataclass(frozen=True)
class Curve:
    """An opinion: a base, and the log-odds that the voter adds to it at distance `z`."""

    base: Base
    residual: Callable[[float], float] = _no_residual

    def __call__(self, z: float) -> float:
        """The log-odds of a close above a level at distance `z`."""
        return self.base.log_odds(z) + self.residual(z)

    def mirrored(self) -> Curve:
        """The opinion on the mirrored price history."""
        return Curve(self.base, lambda z: -self.residual(-z))


NORMAL_BASE = NormalBase()
PLAIN = Curve(NORMAL_BASE)


def probability(odds: float) -> float:
    """The probability p with log-odds ln(p / (1 - p))."""
    return 1 / (1 + math.exp(-odds))


def probability_of(odds: Array) -> Array:
    """`probability` of an array of any size; beyond 40 the result is 0 or 1 to the last digit."""
    return 1 / (1 + np.exp(-np.clip(odds, -40, 40)))


def normal_log_odds(z: float) -> float:
    """Log-odds that a standard normal value exceeds `z`; the curve of plain volatility."""
    distance = max(-FURTHEST, min(FURTHEST, z)) / math.sqrt(2)
    return math.log(math.erfc(distance) / math.erfc(-distance))


def normal_log_odds_of(z: Array) -> Array:
    """`normal_log_odds` of an array; fast where few distances are distinct, as in a grid of questions."""
    distinct, places = np.unique(z, return_inverse=True)
    return np.array([normal_log_odds(value) for value in distinct.tolist()])[places]


@overload
def horizon_sigma(fast: float, slow: float, hours: float) -> float: ...


@overload
def horizon_sigma(fast: Array, slow: Array, hours: Array) -> Array: ...


def horizon_sigma(fast: float | Array, slow: float | Array, hours: float | Array) -> float | Array:
    """Standard deviation of the log return over a horizon.

    Volatility reverts to its long-run level, so the variance per hour is a mixture of the present and the 180-day
    one: the present one counts with weight exp(-hours / 720).

    Parameters
    ----------
    fast, slow : float or ndarray
        Variance of the log return per open hour: now (half-life 72 h) and over 180 days.
    hours : float or ndarray
        Open hours until the deadline, at least 0.

    Returns
    -------
    float or ndarray
        sqrt((w fast + (1 - w) slow) hours) with w = exp(-hours / 720); 0 for 0 hours.
    """
    share = np.exp(-hours / FAST_FADES_H)
    return np.sqrt((share * fast + (1 - share) * slow) * hours)


def close_above(curve: Curve, z: float) -> float:
    """P(price at the deadline above a level at distance z)."""
    return probability(curve(z))


def close_between(curve: Curve, lower: float, upper: float) -> float:
    """P(price at the deadline between two levels at distances lower <= upper)."""
    return close_above(curve, lower) - close_above(curve, upper)


def touch_above(curve: Curve, z: float) -> float:
    """P(some price until the deadline at or above a level at distance z); 1 where the price is at or above it now.

    Reflection principle with drift: P(max >= b) = Phi(m - d) + exp(2 m d) Phi(-m - d), where d is the distance at which
    a Brownian motion touches as often as the base and the shape say, and m the drift that the lean implies at it. Never
    less than closing above.
    """
    if z <= 0:
        return 1.0
    here, there = curve.residual(z), curve.residual(-z)
    shape, lean = (here - there) / 2, (here + there) / 2
    half = min(curve.base.touch(z) / 2, 0.5)
    odds = math.log(half / (1 - half)) + SHAPE_IN_TOUCH * shape
    distance = max(0.0, -NORMAL.inv_cdf(probability(odds)))
    drift = distance + NORMAL.inv_cdf(probability(odds + lean))
    touches = NORMAL.cdf(drift - distance) + math.exp(2 * drift * distance) * NORMAL.cdf(-drift - distance)
    return min(1.0, max(touches, close_above(curve, z)))


def touch_below(curve: Curve, z: float) -> float:
    """P(some price until the deadline at or below a level at distance z): `touch_above` of the mirrored curve."""
    return touch_above(curve.mirrored(), -z)


def rises_later(curve: Curve, share: float) -> float:
    """P(the price at the deadline above that at an instant after which `share` of the variance is to come).

    A Brownian motion with the drift m that the lean implies at the present price, in standard deviations of the whole
    horizon, rises over a part of it with the probability Phi(m sqrt(share)). 0.5 without any variance to come.
    """
    return NORMAL.cdf(NORMAL.inv_cdf(close_above(curve, 0.0)) * math.sqrt(share))


def outperforms(
    curve: Curve, sigma: float, other: Curve, other_sigma: float, correlation: float, lead: float = 0.0
) -> float:
    """P(one asset returns more than another).

    Both log returns are normal, with the drift that each curve implies at the present price.

    Parameters
    ----------
    curve, other : Curve
        The opinions on the two assets.
    sigma, other_sigma : float
        Standard deviations of the log returns over the horizon.
    correlation : float
        Of hourly returns, in [-1, 1].
    lead : float
        The log return by which the asset is ahead already.

    Returns
    -------
    float
        In [0, 1]; where the two returns cannot differ any more, the one that leads wins, and 0.5 without a lead.
    """
    spread = math.sqrt(max(0.0, sigma**2 + other_sigma**2 - 2 * correlation * sigma * other_sigma))
    if spread < 1e-9:
        return 0.5 + 0.5 * ((lead > 0) - (lead < 0))
    lead += sigma * NORMAL.inv_cdf(close_above(curve, 0.0)) - other_sigma * NORMAL.inv_cdf(close_above(other, 0.0))
    return NORMAL.cdf(lead / spread)
