"""Where the price of an asset will be: quantiles by horizon, of each voter and pooled."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.densities.density import Density, Fits, mixture_sizes, signed
from service.forecasting.densities.paths import paths
from service.forecasting.voters.ballots import Abstention, published_p
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.forecast_inputs import AssetState, densities_of, state_of, usable
from service.forecasting.voters.outcomes import PathPoint, path_points
from service.market.assets import ASSETS, open_hours
from service.market.instants import DAY, HOUR, iso, utc
from service.questions.question import Question
from service.scores.proper import Array
from service.tabular import Table, columns_of

Horizon = Literal["1h", "6h", "24h", "3d", "7d", "14d", "30d"]
HORIZONS: dict[str, int] = {
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
class VoterForecast:
    """One voter's distribution: the standard deviation of the log return in percent, and prices in USD by percent."""

    sigma_pct: float
    quantiles: dict[str, float]


@dataclass(frozen=True)
class HorizonForecast:
    """The price at `until`; the market is open for `open_hours` until then.

    The price ends below `quantiles["25"]` with a probability of 25%. `quantiles` and `sigma_pct` are those of the equal
    mixture of the voters' distributions, which also answers questions. Where the market stays closed all quantiles
    equal the present price.
    """

    horizon: str
    until: str
    open_hours: float
    sigma_pct: float
    quantiles: dict[str, float]
    voters: dict[str, VoterForecast]


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


@dataclass(frozen=True)
class LevelProbability:
    """The probability that the price is above `level`, in USD."""

    level: float
    p_above: float


@dataclass(frozen=True)
class LevelsDocument(Document):
    """How likely one asset is above each of many levels at the instant `until`, in the order in which they were asked.

    `p_above` is the P(YES) of the question whether the price is above the level then. The market is open for
    `open_hours` until then. `price` in USD is the present one, `price_as_of` the end of its last bar.
    """

    asset: str
    name: str
    price: float
    price_as_of: str
    until: str
    open_hours: float
    levels: tuple[LevelProbability, ...]


def levels_document(
    knowledge: Knowledge, asset: str, now: int, until: int, levels: Iterable[float], header: DocumentHeader
) -> LevelsDocument:
    """The probabilities of the equal mixture between two unix seconds; raises Abstention where voters would abstain."""
    context = usable(knowledge.contexts, asset, now)
    state = state_of(context, context.spot, now, until)
    densities = densities_of(state, knowledge.fits).values()
    probabilities = {
        level: sum(density.above(math.log(level / state.spot)) for density in densities) / len(densities)
        for level in levels
    }
    return LevelsDocument(
        schema="forecast-levels/1",
        **about(asset, state.spot, iso(context.as_of), header),
        until=iso(until),
        open_hours=round(open_hours(asset, now, until), 2),
        levels=tuple(LevelProbability(level, published_p(p)) for level, p in probabilities.items()),
    )


def sample_paths(knowledge: Knowledge, asset: str, now: int, until: int, count: int) -> Table:
    """`count` paths of the price between two unix seconds, as a table of PathPoint.

    Raises Abstention where voters would abstain, and where the market stays closed.
    """
    context = usable(knowledge.contexts, asset, now)
    state, fits = state_of(context, context.spot, now, until), knowledge.fits
    if state.is_closed:
        raise Abstention(f"the market of {asset} stays closed until then")
    fit = fits and fits.of(asset)
    walks = paths(asset, now, until, fit and fit.season)
    return Table(columns_of(PathPoint), path_points(state.spot, walks, densities_of(state, fits), count))


def describe(knowledge: Knowledge, now: int, header: DocumentHeader) -> dict[str, ForecastDocument]:
    """The documents at the unix second `now` of every asset whose models are fitted.

    An asset that voters abstain from, because its bars are too few or too old, has none.
    """
    documents = {}
    for asset, context in knowledge.contexts.items():
        with suppress(Abstention):
            if _is_fitted(knowledge, context):
                documents[asset] = forecast_document(knowledge, asset, now, HORIZONS, header)
    return documents


def forecast_document(
    knowledge: Knowledge, asset: str, now: int, horizons: Mapping[str, int], header: DocumentHeader
) -> ForecastDocument:
    """The quantiles after some seconds, by the name of each horizon; raises Abstention where voters would abstain."""
    context = usable(knowledge.contexts, asset, now)
    states = {name: state_of(context, context.spot, now, now + length) for name, length in horizons.items()}
    return ForecastDocument(
        schema="forecast/1",
        **about(asset, context.spot, iso(context.as_of), header),
        horizons=tuple(_horizon(name, state, knowledge.fits) for name, state in states.items()),
    )


def about(asset: str, price: float, price_as_of: str, header: DocumentHeader) -> dict[str, Any]:
    """What every document about the price of an asset begins with."""
    return {**vars(header), "asset": asset, "name": ASSETS[asset].name, "price": price, "price_as_of": price_as_of}


def pooled_sigma(knowledge: Knowledge, asset: str, now: int, until: int) -> float | None:
    """The pooled standard deviation of a log return between two unix seconds; None before the models are fitted."""
    context = knowledge.contexts[asset]
    if not _is_fitted(knowledge, context):
        return None
    return _pooled_sigma(densities_of(state_of(context, context.spot, now, until), knowledge.fits).values())


def of_question(question: Question, now: int, knowledge: Knowledge) -> HorizonForecast | None:
    """The price at the deadline of a question without a criterion, which asks for a price, asked at the second `now`.

    None for another question, and before the models are fitted.
    """
    context = knowledge.contexts[question.asset]
    if question.comparator != "open" or not _is_fitted(knowledge, context):
        return None
    state = state_of(context, context.spot, now, int(question.deadline.timestamp()))
    return _horizon(f"{question.horizon_hours:.4g}h", state, knowledge.fits)


def by_name(documents: Mapping[str, ForecastDocument]) -> dict[str, ForecastDocument]:
    """The documents by the names under which they are published: whole, and each horizon alone."""
    return {
        name_of(asset, horizon.horizon if horizon else None): replace(document, horizons=(horizon,))
        if horizon
        else document
        for asset, document in documents.items()
        for horizon in (None, *document.horizons)
    }


def name_of(asset: str, horizon: str | None) -> str:
    """The name of the document of an asset, whole or with one horizon alone."""
    return f"forecasts/{asset}/{horizon}" if horizon else f"forecasts/{asset}"


def _is_fitted(knowledge: Knowledge, context: Context) -> bool:
    return context.level is not None and knowledge.fits is not None and knowledge.fits.of(context.asset) is not None


def _horizon(name: str, state: AssetState, fits: Fits | None) -> HorizonForecast:
    densities = densities_of(state, fits)
    return HorizonForecast(
        horizon=name,
        until=iso(state.until),
        open_hours=round(open_hours(state.asset, state.now, state.until), 2),
        sigma_pct=round(100 * _pooled_sigma(densities.values()), 3),
        quantiles=prices_at(state.spot, _pooled(densities.values())),
        voters={
            voter: VoterForecast(round(100 * density.sigma, 3), prices_at(state.spot, density.quantiles(_LEVELS)))
            for voter, density in densities.items()
        },
    )


def price_quantiles(state: AssetState, fits: Fits | None) -> dict[str, float]:
    """The pooled quantiles of the price in USD, by percent, at the end of the state's horizon.

    They are those of the document; before the models are fitted, those of plain volatility.
    """
    return prices_at(state.spot, _pooled(densities_of(state, fits).values()))


def _pooled(densities: Collection[Density]) -> Array:
    """The quantiles of the log return in the equal mixture of densities without a drift, shape (percents,)."""
    sigmas, closes = np.array([[density.sigma] for density in densities]), [density.close for density in densities]
    if not sigmas.all():
        return np.zeros(len(_LEVELS))
    return signed(_LEVELS, mixture_sizes(sigmas, closes, np.abs(2 * _LEVELS - 1))[0])


def _pooled_sigma(densities: Iterable[Density]) -> float:
    """The standard deviation of the equal mixture: the root of the mean variance."""
    return math.sqrt(np.mean([density.sigma**2 for density in densities]))


def prices_at(spot: float, returns: Array) -> dict[str, float]:
    """The prices in USD at PERCENTS, from log returns of that shape."""
    prices = (spot * np.exp(returns)).tolist()
    return {str(percent): float(f"{price:.{DIGITS}g}") for percent, price in zip(PERCENTS, prices, strict=True)}


HORIZON_H = 24


def up_in_a_day(asset: str, spot: float, at: int) -> Question:
    """The question about `asset`, which costs `spot` USD, asked at the unix second `at`."""
    return Question(
        text=f"Will {asset} be higher in {HORIZON_H} hours?",
        asset=asset,
        comparator="up",
        deadline=utc(at + DAY),
        horizon_hours=float(HORIZON_H),
        spot=spot,
        polarity="bull",
    )
