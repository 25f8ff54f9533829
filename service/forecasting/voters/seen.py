"""Past questions as one voter's view of volatility sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import sigmas, size_quantiles
from service.forecasting.densities.fits import CalendarFit, ViewFit
from service.forecasting.densities.season import Season
from service.forecasting.densities.sizes import log_odds_above
from service.forecasting.voters.distribution import normal_log_odds_of
from service.forecasting.voters.past import QuestionSample
from service.market.assets import Calendar, calendar_of
from service.market.instants import HOUR

Array = NDArray[np.float64]


def see(
    sample: QuestionSample, voter: str, fits: Mapping[Calendar, CalendarFit], furthest: float = np.inf
) -> tuple[QuestionSample, Array]:
    """The questions with their distances in standard deviations of the view, and the log-odds that it gives each.

    Levels beyond `furthest` are moved there. An asset whose calendar is not fitted keeps plain volatility and a normal
    distribution.
    """
    z = np.clip(sample.z, -furthest, furthest)
    odds = normal_log_odds_of(z)
    horizons = sample.deadline - sample.asked_at
    for place, asset in enumerate(sample.assets):
        fit = fits.get(calendar_of(asset))
        if fit is None:
            continue
        for horizon in np.unique(horizons[sample.asset == place]).tolist():
            rows = np.flatnonzero((sample.asset == place) & (horizons == horizon))
            z[rows], odds[rows] = _seen(sample, rows, asset, fit.season, fit.views[voter], horizon / HOUR, furthest)
    return replace(sample, z=z), odds


def _seen(
    sample: QuestionSample,
    rows: NDArray[np.int64],
    asset: str,
    season: Season,
    view: ViewFit,
    hours: float,
    furthest: float,
) -> tuple[Array, Array]:
    features = np.column_stack([sample.inputs[name][rows] for name in view.features])
    seasonal_hours = season.hours(asset, sample.asked_at[rows], sample.deadline[rows])
    sigma = sigmas(view, sample.inputs["level"][rows], features, hours, seasonal_hours)
    z = np.clip(sample.z[rows] * sample.unit[rows] / sigma, -furthest, furthest)
    return z, log_odds_above(size_quantiles(view, hours)[0], z)
