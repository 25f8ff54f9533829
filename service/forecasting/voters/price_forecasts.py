"""Where the price of an asset will be: quantiles by horizon, of each voter's view and pooled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.documents import Document, DocumentHeader
from service.forecasting.densities.density import Density, density
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.season import hours_between
from service.forecasting.densities.views import VIEWS
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Context
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.forecast_inputs import AssetState, calendar_fit, usable
from service.forecasting.voters.knowledge import Knowledge
from service.market.assets import ASSETS, calendar_of, open_hours
from service.market.instants import DAY, HOUR, iso
from service.questions.question import Question

Horizon = Literal["1h", "6h", "24h", "3d", "7d", "14d", "30d"]
HORIZONS: dict[Horizon, int] = {
    "1h": HOUR,
    "6h": 6 * HOUR,
    "24h": DAY,
    "3d": 3 * DAY,
    "7d": 7 * DAY,
    "14d": 14 * DAY,
    "30d": 30 * DAY,
}
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
    """The price at `until`; the market is open for `open_hours` until then.

    The price ends below `quantiles["25"]` with a probability of 25%. In log returns, `quantiles` and `sigma_pct` are
    the means of the voters'. Where the market stays closed all quantiles equal the present price.
    """

    horizon: str
    until: str
    open_hours: float
    sigma_pct: float
    quantiles: dict[str, float]
    voters: dict[str, ViewForecast]


@dataclass(frozen=True)
class ForecastDocument(Document):
    """The forecasts of one asset from `timestamp` on. No drift is assumed: the median is the present `price` in USD.

    `price_as_of` is the end of its last bar, hours ago where its market is closed.
    """

    asset: str
    name: str
    price: float
    price_as_of: str
    horizons: tuple[HorizonForecast, ...]


def describe(knowledge: Knowledge, now: int, header: DocumentHeader) -> dict[str, ForecastDocument]:
    """The documents at the unix second `now` of every asset whose views of volatility are fitted.

    An asset that voters abstain from, because its bars are too few or too old, has none.
    """
    fits = knowledge.fits.densities if knowledge.fits else {}
    documents = {}
    for asset in knowledge.contexts:
        try:
            context = usable(knowledge.contexts, asset, now)
        except Abstention:
            continue
        fit = fits.get(calendar_of(asset))
        if fit is not None and context.level is not None:
            documents[asset] = _document(context, fit, now, header)
    return documents


def pooled_sigma(knowledge: Knowledge, asset: str, now: int, until: int) -> float | None:
    """The standard deviation of an asset's log return between two unix seconds, the mean of the voters'.

    None before their views are fitted.
    """
    context, fit = knowledge.contexts[asset], calendar_fit(asset, knowledge.fits)
    if fit is None or context.level is None:
        return None
    return _mean_sigma(_densities(fit, asset, context.level, context.variance, now, until))


def of_question(question: Question, now: int, knowledge: Knowledge) -> HorizonForecast | None:
    """The price at the deadline of a question without a criterion, which asks for a price, asked at the second `now`.

    None for another question, and before the views of volatility are fitted.
    """
    context, fit = knowledge.contexts[question.asset], calendar_fit(question.asset, knowledge.fits)
    if question.comparator != "open" or fit is None or context.level is None:
        return None
    until = int(question.deadline.timestamp())
    return _horizon(f"{question.horizon_hours:.4g}h", now, until, context, fit)


def by_name(documents: Mapping[str, ForecastDocument]) -> dict[str, ForecastDocument]:
    """The documents by the names under which they are published: whole, and each horizon alone."""
    return {
        name_of(asset, alone.horizon if alone else None): replace(whole, horizons=(alone,)) if alone else whole
        for asset, whole in documents.items()
        for alone in (None, *whole.horizons)
    }


def name_of(asset: str, horizon: str | None) -> str:
    """The name of the document of an asset, whole or with one horizon alone."""
    return f"forecasts/{asset}/{horizon}" if horizon else f"forecasts/{asset}"


def _document(context: Context, fit: CalendarFit, now: int, header: DocumentHeader) -> ForecastDocument:
    return ForecastDocument(
        schema="forecast/1",
        **vars(header),
        asset=context.asset,
        name=ASSETS[context.asset].name,
        price=context.spot,
        price_as_of=iso(context.as_of),
        horizons=tuple(_horizon(name, now, now + length, context, fit) for name, length in HORIZONS.items()),
    )


def _horizon(name: str, now: int, until: int, context: Context, fit: CalendarFit) -> HorizonForecast:
    assert context.level is not None
    views = _densities(fit, context.asset, context.level, context.variance, now, until)
    return HorizonForecast(
        horizon=name,
        until=iso(until),
        open_hours=round(open_hours(context.asset, now, until), 2),
        sigma_pct=_percent(_mean_sigma(views)),
        quantiles=_prices(context.spot, _pooled(views.values())),
        voters={
            voter: ViewForecast(_percent(view.sigma), _prices(context.spot, view.quantiles(_LEVELS)))
            for voter, view in views.items()
        },
    )


def price_quantiles(state: AssetState, fits: Fits | None) -> dict[str, float]:
    """The pooled quantiles of the price in USD, by percent, at the end of the state's horizon.

    They are those of the document; before the views are fitted, those of a normal log return.
    """
    fit = calendar_fit(state.asset, fits)
    if fit is None or state.level is None:
        return _prices(state.spot, state.sigma * np.array([NormalDist().inv_cdf(level) for level in _LEVELS]))
    views = _densities(fit, state.asset, state.level, state.variance, state.now, state.until)
    return _prices(state.spot, _pooled(views.values()))


def _pooled(views: Iterable[Density]) -> NDArray[np.float64]:
    """The mean of the views' quantiles of the log return, shape (percents,)."""
    return np.mean([view.quantiles(_LEVELS) for view in views], axis=0)


def _densities(
    fit: CalendarFit, asset: str, level: float, variance: Mapping[str, float], now: int, until: int
) -> dict[str, Density]:
    """Each voter's distribution of the log return between two unix seconds."""
    seasonal_hours = hours_between(fit.season, asset, now, until)
    hours = (until - now) / HOUR
    return {voter: density(fit.views[voter], level, variance, hours, seasonal_hours) for voter in VIEWS}


def _mean_sigma(views: Mapping[str, Density]) -> float:
    return float(np.mean([view.sigma for view in views.values()]))


def _prices(spot: float, returns: NDArray[np.float64]) -> dict[str, float]:
    prices = (spot * np.exp(returns)).tolist()
    return {str(percent): float(f"{price:.{DIGITS}g}") for percent, price in zip(PERCENTS, prices, strict=True)}


def _percent(sigma: float) -> float:
    return round(100 * sigma, 3)
