"""One view's distribution of one asset's log return over one horizon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.fits import HORIZONS_H, ViewFit
from service.forecasting.densities.sizes import LEVELS, at_hours, log_odds_above, tail_odds

Array = NDArray[np.float64]

LONGEST_H = HORIZONS_H[-1]


@dataclass(frozen=True)
class Density:
    """`sigma` is the standard deviation of the log return; 0 where the market is closed throughout.

    `close` and `maximum` are quantiles at LEVELS of |log return| and of the running maximum, in sigmas. Up and down are
    alike.
    """

    sigma: float
    close: Array
    maximum: Array

    def log_odds_above(self, distance: float) -> float:
        """Log-odds that the log return is above `distance`; `sigma` must be positive."""
        return float(log_odds_above(self.close, distance / self.sigma))

    def touch(self, distance: float) -> float:
        """P(the price moves by at least `distance`, up or down as its sign says, at some time); 1 at 0."""
        return float(tail_odds(self.maximum, abs(distance) / self.sigma)) if distance else 1.0

    def quantiles(self, levels: Array) -> Array:
        """Log returns below which the price ends with the probabilities `levels`, each in (0, 1)."""
        return self.sigma * signed(self.close, levels)


def signed(sizes: Array, levels: Array) -> Array:
    """The quantiles at `levels` of a symmetric value whose size has the quantiles `sizes` at LEVELS."""
    return np.sign(np.round(levels - 0.5, 9)) * np.interp(np.abs(2 * levels - 1), LEVELS, sizes)


def density(fit: ViewFit, level: float, features: Mapping[str, float], hours: float, seasonal_hours: float) -> Density:
    """The distribution over `hours` hours of wall time, which are `seasonal_hours` of the seasonal clock.

    `level` is the log variance per seasonal hour over 180 days. Beyond 30 days the variance returns to the level.
    A missing feature counts as 0, nothing unusual: a context stored before an upgrade lacks the new ones.
    """
    row = np.array([[features.get(name, 0.0) for name in fit.features]])
    (sigma,) = sigmas(fit, np.array([level]), row, hours, np.array([seasonal_hours])).tolist()
    return Density(sigma, *size_quantiles(fit, hours))


def sigmas(fit: ViewFit, level: Array, features: Array, hours: float, seasonal_hours: Array) -> Array:
    """`Density.sigma` of many questions with one horizon, shape (n,); `features` has shape (n, features)."""
    coefficients = at_hours(fit.arrays[0], HORIZONS_H, hours)
    ratio = (coefficients[0] + features @ coefficients[1:]) * min(1.0, LONGEST_H / max(hours, 1.0))
    return np.sqrt(np.exp(level + ratio) * seasonal_hours)


def size_quantiles(fit: ViewFit, hours: float) -> tuple[Array, Array]:
    """The quantiles of the sizes of closes and of running maxima at a horizon."""
    _, close, maximum = fit.arrays
    return at_hours(close, HORIZONS_H, hours), at_hours(maximum, HORIZONS_H, hours)
