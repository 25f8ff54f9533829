"""What the simulated outside market believes of a return: the true law of a simulated world, else a GARCH(1,1)-t.

None of the nine voters holds either belief. In the simulated world the market knows the law by which the world draws
prices, though not the draws; over past prices it has a process of its own with fixed coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.features import ALPHA, BETA
from service.forecasting.densities.season import hours_between
from service.forecasting.voters.distribution import NORMAL_SIZES, Curve, normal_log_odds, probability
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.forecast_inputs import AssetState, calendar_fit
from service.market.instants import DAY

# Mean and variance of the log return of an asset from one unix second to another, as a world draws it.
TrueLaw = Callable[[str, int, int], tuple[float, float]]

# Degrees of freedom. The days ahead of a simulated world have random volatility, so their sum is not quite normal.
# The returns of real days have tails like those of 4 to 6 degrees (Bollerslev 1987), sums of many ever thinner ones.
TRUE_FREEDOM = 16.0
LEAST_FREEDOM, FREEDOM_A_DAY = 4.5, 1.0


@dataclass(frozen=True)
class ReturnLaw:
    """Student's t distribution of a log return with its mean, standard deviation and degrees of freedom."""

    mean: float
    sigma: float
    freedom: float

    def curve(self, unit: float) -> Curve:
        """The opinion of who believes in it; distances are in returns of size `unit`."""
        base = StudentBase(self.sigma / unit, self.freedom)
        return Curve(base, lambda z: base.log_odds(z - self.mean / unit) - base.log_odds(z))


@dataclass(frozen=True)
class StudentBase:
    """Student's t distribution without a drift; `sigma_ratio` is its standard deviation in units of the distances.

    A level is touched twice as often as closed beyond, by the reflection principle. The normal deviate of a distance is
    that of Wallace (1959), which is exact to a few thousandths.
    """

    sigma_ratio: float
    freedom: float

    def log_odds(self, z: float) -> float:
        """Of a close above `z`."""
        n = self.freedom
        square = (z / self.sigma_ratio) ** 2 / (n - 2)  # t^2 / n
        deviate = self._slope * math.sqrt(n * math.log1p(square))
        return normal_log_odds(math.copysign(deviate, z))

    def touch(self, z: float) -> float:
        return 2 * probability(self.log_odds(z))

    @property
    def close_sizes(self) -> NDArray[np.float64]:
        n = self.freedom
        square = np.expm1(np.square(NORMAL_SIZES / self._slope) / n)
        return self.sigma_ratio * np.sqrt((n - 2) * square)

    @property
    def maximum_sizes(self) -> NDArray[np.float64]:
        return self.close_sizes

    @property
    def _slope(self) -> float:
        return (8 * self.freedom + 1) / (8 * self.freedom + 3)


def believe(state: AssetState, fits: Fits | None, true_law: TrueLaw | None) -> ReturnLaw:
    """The market's belief about an asset over a horizon with open hours; `true_law` is that of a simulated world."""
    if true_law is None:
        return garch(state, fits)
    mean, variance = true_law(state.asset, state.now, state.until)
    return ReturnLaw(mean, math.sqrt(variance), TRUE_FREEDOM)


def garch(state: AssetState, fits: Fits | None) -> ReturnLaw:
    """The belief of a GARCH(1,1) process (Bollerslev 1986) on the seasonal clock.

    Its level v is halfway between the variances of 30 and of 180 days. With persistence f the variance of an hour in h
    hours is v + (v0 - v) f^h; so over the horizon the excess of the present v0 counts (1 - f^h) / (1 - f) hours.
    """
    persistence = ALPHA + BETA
    present, month = (math.exp(state.variance.get(name, 0.0)) for name in ("garch", "variance_720h"))
    level = (1 + month) / 2
    share = (1 - persistence**state.hours) / ((1 - persistence) * state.hours)
    variance = state.slow * (level + (present - level) * share) * _seasonal_hours(state, fits)
    days = (state.until - state.now) / DAY
    return ReturnLaw(0.0, math.sqrt(variance), LEAST_FREEDOM + FREEDOM_A_DAY * days)


def _seasonal_hours(state: AssetState, fits: Fits | None) -> float:
    fit = calendar_fit(state.asset, fits)
    return state.hours if fit is None else hours_between(fit.season, state.asset, state.now, state.until)
