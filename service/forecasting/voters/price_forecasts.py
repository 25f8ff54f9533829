"""Where the price of an asset will be: quantiles by horizon, of each voter's view and pooled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.documents import Document, World
from service.forecasting.densities.density import Density, density
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.views import VIEWS
from service.forecasting.voters.context import Context
from service.forecasting.voters.knowledge import Knowledge
from service.market.assets import ASSETS, calendar_of, open_hours
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso

HORIZONS = {"1h": HOUR, "6h": 6 * HOUR, "24h": DAY, "3d": 3 * DAY, "7d": 7 * DAY, "14d": 14 * DAY, "30d": 30 * DAY}
PERCENTS = (1, 5, 10, 25, 50, 75, 90, 95, 99)
_LEVELS = np.array(PERCENTS) / 100
DIGITS = 7  # significant digits of a price


@dataclass(frozen=True)
class ViewForecast:
    """One voter's view: the standard deviation of the log return in percent, and prices in USD by percent."""

    sigma_pct: float
    quantiles: dict[str, float]


@dataclass(frozen=True)
class HorizonForecast:
    """The price at `until`, of which the market is open for `open_hours`.

    `quantiles` are the means of the voters': the price ends below `quantiles["25"]` with a probability of 25%. They
    equal the present price where the market stays closed.
    """

    horizon: str
    until: str
    open_hours: float
    sigma_pct: float
    quantiles: dict[str, float]
    voters: dict[str, ViewForecast]


@dataclass(frozen=True)
class ForecastDocument(Document):
    """The forecasts of one asset from its `price` in USD at `as_of`. No drift is assumed: the median is that price."""

    asset: str
    name: str
    price: float
    horizons: tuple[HorizonForecast, ...]


def describe(
    knowledge: Knowledge, *, made_at: int, step: int, world: World, sources: Mapping[str, str]
) -> dict[str, ForecastDocument]:
    """The document of every asset whose views of volatility are fitted.

    `made_at` is a unix second of world time, `step` the seconds of a bar, `sources` names the origin of the bars.
    """
    fits = knowledge.fits.densities if knowledge.fits else {}
    fitted = {
        asset: (context, fits[calendar_of(asset)])
        for asset, context in knowledge.contexts.items()
        if calendar_of(asset) in fits and context.level is not None
    }
    return {
        asset: ForecastDocument(
            schema="forecast/1",
            **vars(header(made_at, context.as_of, step=step, world=world, sources={asset: sources[asset]})),
            asset=asset,
            name=ASSETS[asset].name,
            price=context.spot,
            horizons=tuple(_horizon(name, length, context, fit) for name, length in HORIZONS.items()),
        )
        for asset, (context, fit) in fitted.items()
    }


def _horizon(name: str, length: int, context: Context, fit: CalendarFit) -> HorizonForecast:
    until = context.as_of + length
    views = _densities(context, fit, until)
    returns = {voter: view.quantiles(_LEVELS) for voter, view in views.items()}
    return HorizonForecast(
        horizon=name,
        until=iso(until),
        open_hours=round(open_hours(context.asset, context.as_of, until), 2),
        sigma_pct=_percent(float(np.mean([view.sigma for view in views.values()]))),
        quantiles=_prices(context.spot, np.mean(list(returns.values()), axis=0)),
        voters={
            voter: ViewForecast(_percent(view.sigma), _prices(context.spot, returns[voter]))
            for voter, view in views.items()
        },
    )


def _densities(context: Context, fit: CalendarFit, until: int) -> dict[str, Density]:
    """Each voter's distribution of the log return from the context's instant to the unix second `until`."""
    assert context.level is not None
    (seasonal_hours,) = fit.season.hours(context.asset, np.array([context.as_of]), np.array([until])).tolist()
    hours = (until - context.as_of) / HOUR
    return {voter: density(fit.views[voter], context.level, context.variance, hours, seasonal_hours) for voter in VIEWS}


def _prices(spot: float, returns: NDArray[np.float64]) -> dict[str, float]:
    prices = (spot * np.exp(returns)).tolist()
    return {str(percent): float(f"{price:.{DIGITS}g}") for percent, price in zip(PERCENTS, prices, strict=True)}


def _percent(sigma: float) -> float:
    return round(100 * sigma, 3)
