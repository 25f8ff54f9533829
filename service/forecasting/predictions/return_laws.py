"""What the simulated outside market believes of a return: the true law of a simulated world, else a GARCH(1,1)-t.

None of the nine voters holds either belief. In the simulated world the market knows the law by which the world draws
prices, though not the draws; over past prices it has a process of its own with fixed coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from service.forecasting.densities.density import Density, student
from service.forecasting.densities.fits import Fits
from service.forecasting.densities.models import ALPHA, BETA
from service.forecasting.densities.season import hours_between
from service.forecasting.voters.forecast_inputs import AssetState
from service.market.instants import DAY

# Mean and variance of the log return of an asset from one unix second to another, as a world draws it.
TrueLaw = Callable[[str, int, int], tuple[float, float]]

# Degrees of freedom. The days ahead of a simulated world have random volatility, so their sum is not quite normal.
# The returns of real days have tails like those of 4 to 6 degrees (Bollerslev 1987), sums of many ever thinner ones.
TRUE_FREEDOM = 16.0
LEAST_FREEDOM, FREEDOM_A_DAY = 4.5, 1.0


def believe(state: AssetState, fits: Fits | None, true_law: TrueLaw | None) -> Density:
    """The market's belief about an asset over a horizon with open hours; `true_law` is that of a simulated world."""
    if true_law is None:
        return garch(state, fits)
    mean, variance = true_law(state.asset, state.now, state.until)
    return student(math.sqrt(variance), TRUE_FREEDOM, mean)


def garch(state: AssetState, fits: Fits | None) -> Density:
    """The belief of a GARCH(1,1) process (Bollerslev 1986) on the seasonal clock.

    Its level v is halfway between the variances of 30 and of 180 days. With persistence f the variance of an hour in h
    hours is v + (v0 - v) f^h; so over the horizon the excess of the present v0 counts (1 - f^h) / (1 - f) hours.
    """
    persistence = ALPHA + BETA
    present, month = (math.exp(state.variance.get(name, 0.0)) for name in ("garch", "month"))
    level = (1 + month) / 2
    share = (1 - persistence**state.hours) / ((1 - persistence) * state.hours)
    variance = state.slow * (level + (present - level) * share) * _seasonal_hours(state, fits)
    days = (state.until - state.now) / DAY
    return student(math.sqrt(variance), LEAST_FREEDOM + FREEDOM_A_DAY * days)


def _seasonal_hours(state: AssetState, fits: Fits | None) -> float:
    fit = fits and fits.of(state.asset)
    return state.hours if not fit else hours_between(fit.season, state.asset, state.now, state.until)
