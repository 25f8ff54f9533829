"""The price forecasts that are committed, few enough numbers for a row of the ledger, and their scores.

A committed law is straight between its intervals on the scale of normal quantiles, so a normal law is exact. Scores
are in log returns over their standard deviation in the last 180 days, so that assets, times and horizons weigh alike.

Forecasts overlap, and assets move together, so scores count in blocks of calendar weeks of resolution: as many as the
horizon spans. Only sums of the current block and sums of products over all earlier ones are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, nan, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.documents import DocumentHeader, JsonRecord
from service.forecasting.densities.density import CalendarFit, horizon_sigma, mixture_sizes, sigmas, size_quantiles
from service.forecasting.densities.models import VarianceTrack
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import usable
from service.forecasting.voters.price_forecasts import (
    HORIZONS,
    PERCENTS,
    ForecastDocument,
    HorizonForecast,
    about,
    prices_at,
)
from service.ledger.chain import ChainEntry, LedgerRow
from service.market.assets import open_hours, open_hours_between
from service.market.instants import DAY, HOUR, World, iso, unix
from service.scores.intervals import ClusteredMean, Dependence, design_effect, weeks_of
from service.scores.proper import Array, Instants

EVERY_S = HOUR
STANDARD = {name: HORIZONS[name] for name in ("1h", "24h", "7d", "30d")}  # the horizons that are committed, in seconds
SHARES = (50, 80, 90, 98)  # percent of outcomes in the central intervals
COLUMNS = ("sigma_pct", "vol_sigma_pct", "usual_sigma_pct", *(f"within_{share}_pct" for share in SHARES))
DIGITS = 4  # significant digits of a percentage


class PriceForecast(NamedTuple):
    """The forecast of one asset over one horizon, made at the unix second `at`.

    `price` in USD is that of the last bar before, which ended at `price_as_of`. `law` has the numbers named by COLUMNS,
    all in percent of log return: the standard deviation of the pool, that of plain volatility, that of the last 180
    days, in which scores are counted, and the half-widths of the central intervals.
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
        fit = knowledge.fits and knowledge.fits.of(asset)
        try:
            context = usable(knowledge.contexts, asset, at)
        except Abstention:
            continue
        is_newest = context.as_of <= at and open_hours(asset, context.as_of, at) == 0
        if fit and is_newest and context.level is not None:
            terms = {name: np.array([value]) for name, value in context.variance.items()}
            numbers = (at, context.spot, context.as_of, context.level, context.fast, context.slow)
            now, price, as_of, level, fast, slow = (np.array([number]) for number in numbers)
            instant = ForecastInstants(asset, now, price, as_of, VarianceTrack(level, terms), fast, slow)
            forecasts += forecast(instant, fit)
    return forecasts


def forecast(instants: ForecastInstants, fit: CalendarFit) -> list[PriceForecast]:
    """The forecasts at all instants over every standard horizon in which the market opens."""
    forecasts: list[PriceForecast] = []
    for name, seconds in STANDARD.items():
        open_hours = open_hours_between(instants.asset, instants.at, instants.at + seconds)
        law = significant(100 * _law(instants, fit, seconds, open_hours))
        rows = np.flatnonzero(open_hours > 0)
        columns = (instants.at, instants.price, instants.price_as_of, law)
        forecasts += [
            PriceForecast(at, instants.asset, name, price, price_as_of, tuple(numbers))
            for at, price, price_as_of, numbers in zip(*(column[rows].tolist() for column in columns), strict=True)
        ]
    return forecasts


def _law(instants: ForecastInstants, fit: CalendarFit, seconds: int, open_hours: Array) -> Array:
    """The numbers of COLUMNS as log returns, shape (n, columns): those of the equal mixture of the models."""
    hours, rows = seconds / HOUR, np.arange(len(open_hours))
    seasonal_hours = fit.season.hours(instants.asset, instants.at, instants.at + seconds)
    terms, level, models = instants.variance.matrix, instants.variance.level, fit.models.values()
    model_sigmas = np.array([sigmas(model, level, terms(model.terms, rows), hours, seasonal_hours) for model in models])
    is_open = open_hours > 0
    within = np.zeros((len(open_hours), len(SHARES)))
    closes = [size_quantiles(model, hours)[0] for model in models]
    within[is_open] = mixture_sizes(model_sigmas[:, is_open], closes, np.array(SHARES) / 100)
    vol, usual_sigma = horizon_sigma(instants.fast, instants.slow, open_hours), np.sqrt(instants.slow * open_hours)
    return np.column_stack([np.sqrt(np.mean(model_sigmas**2, axis=0)), vol, usual_sigma, within])


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
    return [LedgerRow("price_forecast", subject_of(body["at"]), body, backfilled) for body in bodies]


def recorded_document(entry: ChainEntry, asset: str, world: World) -> ForecastDocument | None:
    """The forecasts of an asset as a row of the ledger has them, pooled alone; None where the row has none of it."""
    row = entry.body["forecasts"].get(asset)
    if row is None:
        return None
    at, price = entry.body["at"], row["price"]
    origin = f"row {entry.seq} of the ledger{', backfilled' if entry.backfilled else ''}"
    header = DocumentHeader(at, row["as_of"], iso(unix(at) + EVERY_S), world, {"forecast": origin})
    horizons: list[HorizonForecast] = []
    for name in [horizon for horizon in STANDARD if horizon in row]:
        law, until = dict(zip(entry.body["columns"], row[name], strict=True)), unix(at) + STANDARD[name]
        sides = {50 + side * share / 2: side * law[f"within_{share}_pct"] for share in SHARES for side in (-1, 1)}
        quantiles = prices_at(price, np.array([sides.get(percent, 0.0) for percent in PERCENTS]) / 100)
        hours = round(open_hours(asset, unix(at), until), 2)
        horizons.append(HorizonForecast(name, iso(until), hours, law["sigma_pct"], quantiles, {}))
    return ForecastDocument(schema="forecast/1", **about(asset, price, row["as_of"], header), horizons=tuple(horizons))


def subject_of(at: int) -> str:
    """The subject of the row with the forecasts of the hour that begins at a unix second."""
    return f"prices-{iso(at)}"


BINS = 10
LEVELS = np.arange(1, 100) / 100
NORMAL = np.array([NormalDist().inv_cdf(level) for level in LEVELS.tolist()])
_KNOTS = [0.0, *(NormalDist().inv_cdf((1 + share / 100) / 2) for share in SHARES)]
# A quantile at one of LEVELS is a weighted sum of the half-widths of the intervals; shape (shares, levels).
WEIGHTS = np.sign(NORMAL) * [np.interp(np.abs(NORMAL), _KNOTS, unit) for unit in np.eye(len(_KNOTS))[1:]]
_PERCENTS = np.array(PERCENTS) - 1  # their places in LEVELS
_DECILES = np.arange(9, 99, 10)


@dataclass(frozen=True)
class PriceScores:
    """Of n forecasts. `crps` and `vol_crps` have the shape (n,).

    `pinball` is the loss at PERCENTS, shape (n, 9); `inside` and `pit` are 1 where the outcome lies within the interval
    of a share, shape (n, 4), and in a tenth of the law, shape (n, 10), else 0.
    """

    crps: Array
    vol_crps: Array
    pinball: Array
    inside: Array
    pit: Array

    def of(self, rows: NDArray[np.bool_]) -> PriceScores:
        return PriceScores(*(values[rows] for values in vars(self).values()))


def score(forecasts: Sequence[PriceForecast], outcomes: Sequence[float]) -> PriceScores:
    """The scores of forecasts whose prices at the deadline were `outcomes` in USD.

    The CRPS (Matheson and Winkler 1976) is twice the mean pinball loss over the levels 1 to 99%; that is 1% more than
    the exact integral, for both forecasters alike.
    """
    laws = np.array([row.law for row in forecasts]).reshape(-1, len(COLUMNS))
    prices = np.array([row.price for row in forecasts])
    vol, usual_sigma, within = laws[:, 1], laws[:, 2], laws[:, 3:] / laws[:, 2:3]
    returns = 100 * np.log(np.array(outcomes) / prices) / usual_sigma
    quantiles = within @ WEIGHTS
    losses = pinball(quantiles, returns)
    below = (quantiles[:, _DECILES] < returns[:, None]).sum(axis=1)
    return PriceScores(
        crps=2 * losses.mean(axis=1),
        vol_crps=2 * pinball(np.outer(vol / usual_sigma, NORMAL), returns).mean(axis=1),
        pinball=losses[:, _PERCENTS],
        inside=(np.abs(returns)[:, None] <= within).astype(float),
        pit=np.eye(BINS)[below],
    )


def pinball(quantiles: Array, outcomes: Array) -> Array:
    """The loss of each quantile at LEVELS, shape (n, 99), for outcomes of shape (n,) (Koenker and Bassett 1978)."""
    errors = outcomes[:, None] - quantiles
    return np.maximum(LEVELS * errors, (LEVELS - 1) * errors)


Products = tuple[float, float, float]

WEEK_S = 7 * DAY
# How much scores of one block depend on each other: those of one asset, and those of all together. Measured on 290,000
# forecasts of seven assets over 64 weeks (`tests/measure/interval_coverage.py`).
PRIORS = {
    "1h": (Dependence(0.02), Dependence(0.015)),
    "24h": (Dependence(0.09), Dependence(0.034)),
    "7d": (Dependence(0.45), Dependence(0.12)),
    "30d": (Dependence(0.45), Dependence(0.2)),
}


def blocks_of(horizon: str, resolved_at: Instants) -> Instants:
    """The block in which each forecast counts: calendar weeks, as many as the horizon spans, shape (n,)."""
    return weeks_of(resolved_at) // ceil(STANDARD[horizon] / WEEK_S)


@dataclass(frozen=True)
class ScoreSums(JsonRecord):
    """Sums over `n` scored forecasts; `void` ones had no outcome.

    `crps` and `vol_crps` are sums, `products` sums of squares of the first, of products of both, and of squares of the
    second. `block` is the latest block, `block_sums` its sums of both scores, `block_products` the same products of the
    sums of the `blocks` before it. The others are sums of the fields of PriceScores.
    """

    n: int = 0
    void: int = 0
    crps: float = 0.0
    vol_crps: float = 0.0
    products: Products = (0.0, 0.0, 0.0)
    block: int = 0
    block_sums: tuple[float, float] = (0.0, 0.0)
    blocks: int = 0
    block_products: Products = (0.0, 0.0, 0.0)
    pinball: tuple[float, ...] = (0.0,) * len(PERCENTS)
    inside: tuple[float, ...] = (0.0,) * len(SHARES)
    pit: tuple[float, ...] = (0.0,) * BINS

    def plus(self, scores: PriceScores, blocks: Instants, void: int = 0) -> ScoreSums:
        """With the scores of n more forecasts and the block of each, shape (n,), and more `void` ones.

        A score that comes late counts in the latest block.
        """
        sums, blocks = replace(self, void=self.void + void), np.maximum(blocks, self.block)
        for block in np.unique(blocks).tolist():
            sums = sums._at(block)._with(scores.of(blocks == block))
        return sums

    def _at(self, block: int) -> ScoreSums:
        """The same sums with a block closed if a later one begins."""
        if block == self.block or not self.n:
            return replace(self, block=block)
        products = _added(self.block_products, _products(*self.block_sums))
        return replace(self, block=block, block_sums=(0.0, 0.0), blocks=self.blocks + 1, block_products=products)

    def _with(self, scores: PriceScores) -> ScoreSums:
        crps, vol_crps = scores.crps, scores.vol_crps
        sums = float(crps.sum()), float(vol_crps.sum())
        return replace(
            self,
            n=self.n + len(crps),
            crps=self.crps + sums[0],
            vol_crps=self.vol_crps + sums[1],
            products=_added(self.products, _products(crps, vol_crps)),
            block_sums=_added(self.block_sums, sums),
            pinball=_added(self.pinball, scores.pinball.sum(axis=0).tolist()),
            inside=_added(self.inside, scores.inside.sum(axis=0).tolist()),
            pit=_added(self.pit, scores.pit.sum(axis=0).tolist()),
        )


def _products(first: Any, second: Any) -> Products:
    return float(np.dot(first, first)), float(np.dot(first, second)), float(np.dot(second, second))


def _added(sums: Any, values: Any) -> Any:
    return tuple(total + value for total, value in zip(sums, values, strict=True))


def ratio_of(sums: ScoreSums, prior: Dependence) -> ClusteredMean | None:
    """The CRPS of the forecasts over that of plain volatility, with its interval; None without a score.

    The variance of a ratio R of sums of a and b is that of the sum of a - R b over the sum of b (Cochran 1977,
    chapter 6). Its design effect is measured between blocks, which are taken as equally large, and updates the `prior`.
    """
    n, blocks = sums.n, sums.blocks + 1
    if not n:
        return None
    ratio = sums.crps / sums.vol_crps
    if n == 1:
        return ClusteredMean(ratio, nan, n, blocks, 1.0)
    of_rows = _squares(sums.products, ratio, n)
    products = _added(sums.block_products, _products(*sums.block_sums))
    variance_ratio = _squares(products, ratio, blocks) / of_rows if blocks > 1 and of_rows else None
    effect = design_effect(prior, np.full(blocks, n / blocks), variance_ratio)
    return ClusteredMean(ratio, sqrt(of_rows * n) / sums.vol_crps, n, blocks, effect)


def _squares(products: Products, ratio: float, n: int) -> float:
    """The sum of (a - ratio b)**2 over n pairs, times n / (n - 1)."""
    first, cross, second = products
    return max(0.0, first - 2 * ratio * cross + ratio**2 * second) * n / (n - 1)
