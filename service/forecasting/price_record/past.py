"""The price forecasts of past hours, as they would have been committed then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from service.forecasting.densities.fits import Fits
from service.forecasting.densities.models import VarianceTrack
from service.forecasting.price_record.book import PriceBook, closes_at, resolve
from service.forecasting.price_record.committed import EVERY_S, ForecastInstants, Instants, PriceForecast, forecast
from service.forecasting.voters.forecast_inputs import LEAST_HISTORY_DAYS
from service.forecasting.voters.inputs import InputHistory
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.months import ends, month_of

MonthlyFits = Mapping[int, Fits]


@dataclass(frozen=True)
class PastPrices:
    """The forecasts of past hours: the `book` of those with an outcome, and those `waiting` for one."""

    forecasts: tuple[PriceForecast, ...]
    book: PriceBook
    waiting: tuple[PriceForecast, ...]


def backfill_prices(
    history: InputHistory, hourly: Mapping[str, Bars], fits: MonthlyFits, since: int, until: int
) -> PastPrices:
    """The forecasts of every hour from `since` on and before `until`, resolved by then.

    Parameters
    ----------
    history, hourly : InputHistory, mapping of str to Bars
        Of hourly bars that were complete at `until`.
    fits : mapping of int to Fits
        The models fitted at the beginning of each month, by its unix second; a month without them has no forecasts.
    since, until : int
        Unix seconds; whole hours.
    """
    at = np.arange(since, until, EVERY_S)
    at = at[(at - history.origin) // HOUR >= max(track.first for track in history.tracks.values())]
    forecasts = [row for month, fitted in fits.items() for row in _month(history, hourly, fitted, month, at)]
    outcomes = resolve([row for row in forecasts if row.deadline <= until], hourly, until)
    decided = set(outcomes.decided)
    waiting = tuple(row for row in forecasts if row not in decided)
    return PastPrices(tuple(forecasts), PriceBook().plus(outcomes), waiting)


def _month(
    history: InputHistory, hourly: Mapping[str, Bars], fits: Fits, month: int, at: Instants
) -> Iterator[PriceForecast]:
    """The forecasts at those of the instants that lie in the month which begins at a unix second."""
    within = at[(at >= month) & (at < ends(month_of(month)))]
    for asset in history.tracks:
        fit = fits.of(asset)
        if fit and len(within):
            yield from forecast(_instants(history, asset, hourly[asset], within), fit)


def _instants(history: InputHistory, asset: str, bars: Bars, at: Instants) -> ForecastInstants:
    """The instants at which the asset has its newest bar and enough history."""
    track = history.tracks[asset]
    price, price_as_of = closes_at(asset, bars, at)
    rows = np.minimum((at - history.origin) // HOUR, len(history) - 1)
    is_usable = np.isfinite(price) & (rows + 1 - track.first >= LEAST_HISTORY_DAYS * 24)
    rows = rows[is_usable]
    terms = {name: values[rows] for name, values in track.variance.terms.items()}
    return ForecastInstants(
        asset=asset,
        at=at[is_usable],
        price=price[is_usable],
        price_as_of=price_as_of[is_usable],
        variance=VarianceTrack(track.variance.level[rows], terms),
        fast=track.fast[rows],
        slow=track.slow[rows],
    )
