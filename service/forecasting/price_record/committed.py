"""The price forecasts that are committed: few enough numbers for a row of the ledger, enough to be scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.density import horizon_sigma, mixture_sizes, sigmas, size_quantiles
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.models import VarianceTrack
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.forecast_inputs import usable
from service.forecasting.voters.price_forecasts import HORIZONS
from service.ledger.chain import LedgerRow
from service.market.assets import open_hours_between
from service.market.instants import HOUR, iso
from service.scores.proper import Array, Instants

EVERY_S = HOUR
STANDARD = {name: HORIZONS[name] for name in ("1h", "24h", "7d", "30d")}  # the horizons that are committed, in seconds
SHARES = (50, 80, 90, 98)  # percent of outcomes in the central intervals
COLUMNS = ("sigma_pct", "vol_sigma_pct", "usual_sigma_pct", *(f"within_{share}_pct" for share in SHARES))
DIGITS = 4  # significant digits of a percentage


class PriceForecast(NamedTuple):
    """The forecast of one asset over one horizon, made at the unix second `at`.

    `price` in USD is that of the last bar before, which ended at `price_as_of`. `law` has the numbers named by COLUMNS,
    all in percent of log return: the standard deviation of the pool, that of plain volatility,
    that of the last 180 days, in which scores are counted, and the half-widths of the central intervals.
    """

    at: int
    asset: str
    horizon: str
    price: float
    price_as_of: int
    law: tuple[float, ...]

    @property
    def deadline(self) -> int:
        return self.at + STANDARD[self.horizon]


@dataclass(frozen=True)
class ForecastInstants:
    """What is known of one asset at the unix seconds `at`, which are whole hours; shape (n,) each.

    `variance` is what the models see, `fast` and `slow` are the variances of plain volatility.
    """

    asset: str
    at: Instants
    price: Array
    price_as_of: Instants
    variance: VarianceTrack
    fast: Array
    slow: Array


def commit(knowledge: Knowledge, at: int) -> list[PriceForecast]:
    """The forecasts at the unix second `at`, a whole hour, from contexts of bars that were complete then.

    An asset has none while its models are not fitted, without its newest bar, and over a horizon in which its market
    stays closed, because that price is known.
    """
    forecasts: list[PriceForecast] = []
    for asset in knowledge.contexts:
        fit, instant = knowledge.fits and knowledge.fits.of(asset), _instant(knowledge.contexts, asset, at)
        if fit and instant:
            forecasts += forecast(instant, fit)
    return forecasts


def _instant(contexts: Mapping[str, Context], asset: str, at: int) -> ForecastInstants | None:
    """One asset at one instant; None where voters would abstain, and where its newest bar is missing."""
    try:
        context = usable(contexts, asset, at)
    except Abstention:
        return None
    if context.level is None or context.as_of > at:
        return None
    terms = {name: np.array([value]) for name, value in context.variance.items()}
    numbers = (at, context.spot, context.as_of, context.level, context.fast, context.slow)
    now, price, price_as_of, level, fast, slow = (np.array([number]) for number in numbers)
    instant = ForecastInstants(asset, now, price, price_as_of, VarianceTrack(level, terms), fast, slow)
    return instant if is_fresh(asset, instant.price_as_of, instant.at).all() else None


def is_fresh(asset: str, as_of: Instants, at: Instants) -> NDArray[np.bool_]:
    """Whether no open hour lies between the end of the last bar and an instant."""
    return open_hours_between(asset, as_of, at) == 0


def forecast(instants: ForecastInstants, fit: CalendarFit) -> list[PriceForecast]:
    """The forecasts at all instants over every standard horizon in which the market opens."""
    return [row for name in STANDARD for row in _horizon(instants, fit, name)]


def _horizon(instants: ForecastInstants, fit: CalendarFit, name: str) -> Iterator[PriceForecast]:
    opened = open_hours_between(instants.asset, instants.at, instants.at + STANDARD[name])
    law = significant(100 * _law(instants, fit, STANDARD[name], opened))
    rows = np.flatnonzero(opened > 0)
    columns = (instants.at, instants.price, instants.price_as_of, law)
    for at, price, price_as_of, numbers in zip(*(column[rows].tolist() for column in columns), strict=True):
        yield PriceForecast(at, instants.asset, name, price, price_as_of, tuple(numbers))


def _law(instants: ForecastInstants, fit: CalendarFit, seconds: int, opened: Array) -> Array:
    """The numbers of COLUMNS as log returns, shape (n, columns): those of the equal mixture of the models."""
    hours, every = seconds / HOUR, np.arange(len(opened))
    seasonal_hours = fit.season.hours(instants.asset, instants.at, instants.at + seconds)
    terms, level, models = instants.variance.matrix, instants.variance.level, fit.models.values()
    each = np.array([sigmas(model, level, terms(model.terms, every), hours, seasonal_hours) for model in models])
    is_open = opened > 0
    within = np.zeros((len(opened), len(SHARES)))
    closes = [size_quantiles(model, hours)[0] for model in models]
    within[is_open] = mixture_sizes(each[:, is_open], closes, np.array(SHARES) / 100)
    vol, usual = horizon_sigma(instants.fast, instants.slow, opened), np.sqrt(instants.slow * opened)
    return np.column_stack([np.sqrt(np.mean(each**2, axis=0)), vol, usual, within])


def significant(values: Array) -> Array:
    """Rounded to DIGITS significant digits; 0 stays 0."""
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(np.where(values > 0, values, 1.0))))
    return np.round(values * scale) / scale


def ledger_rows(forecasts: Sequence[PriceForecast], *, backfilled: bool) -> list[LedgerRow]:
    """One row for each instant, in order, with the forecasts of all assets."""
    by_instant: dict[int, dict[str, dict[str, Any]]] = {}
    for row in forecasts:
        spot = {"price": row.price, "as_of": row.price_as_of}
        by_instant.setdefault(row.at, {}).setdefault(row.asset, spot)[row.horizon] = row.law
    bodies = ({"at": at, "columns": COLUMNS, "forecasts": assets} for at, assets in sorted(by_instant.items()))
    return [LedgerRow("price_forecast", f"prices-{iso(body['at'])}", body, backfilled) for body in bodies]
