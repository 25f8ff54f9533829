"""The pool compared with the outside market on the same markets at the same instant, in two separate books."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.predictions.scores.calibration import CalibrationReport, calibrate
from service.forecasting.predictions.scores.columns import MarketColumns, thinned
from service.forecasting.predictions.scores.difference import Difference, Verdict, compare, power_of, verdict_on
from service.forecasting.predictions.scores.diversity import Diversity, diversity_of
from service.forecasting.predictions.scores.evidence import evidence_of
from service.forecasting.predictions.scores.forecast_scores import ForecastScores, VoterScore, scores, voter_scores
from service.forecasting.predictions.scores.pairs import PairedMarket, differences, pairs_of, publish
from service.market.instants import DAY, iso
from service.scores.dependence import DIFFERENCES
from service.scores.intervals import clustered_mean
from service.scores.proper import brier

MOST_LISTED = 40


@dataclass(frozen=True)
class Calibrations:
    """The calibration of the pool and of the outside market; null with fewer than 30 resolved markets."""

    ai: CalibrationReport | None
    market: CalibrationReport | None


@dataclass(frozen=True)
class CumulativePoint:
    """Mean Brier scores of the `n` markets resolved so far, at the last resolution of a day; at most 100 days."""

    resolved_at: str
    n: int
    brier_ai: float
    brier_market: float


@dataclass(frozen=True)
class VersusBook:
    """One book. `difference` is null until markets have resolved in two calendar weeks.

    The odds of `simulated` of the `n` markets are of no real market. `base_rate` forecasts how often such a market
    (same category and comparator) had come out YES before. `needed` to `design_effect_assumed` are those of `Power`:
    how many resolved markets show a gap of the present size, or one of 0.05 or 0.02. `diversity` is null with fewer
    than 30 markets.
    """

    backfilled: bool
    n: int
    simulated: int
    ai: ForecastScores
    market: ForecastScores
    base_rate: ForecastScores
    difference: Difference | None
    verdict: Verdict
    needed: int | None
    needed_for: dict[str, int]
    deviation: float
    deviation_assumed: bool
    design_effect: float
    design_effect_assumed: bool
    diversity: Diversity | None
    calibration: Calibrations
    cumulative: tuple[CumulativePoint, ...]
    voters: tuple[VoterScore, ...]


@dataclass(frozen=True)
class AiVsMarketDocument(Document):
    """The document of GET /api/predictions/ai-vs-market: the live book and the backfilled one, never combined.

    `count` is the number of resolved markets with both probabilities, `markets` the latest 40, newest first;
    `/api/v1/predictions?status=resolved` has all of them.
    """

    books: tuple[VersusBook, ...]
    count: int
    markets: tuple[PairedMarket, ...]


def ai_vs_market_document(
    markets: MarketColumns, header: DocumentHeader, generator: np.random.Generator
) -> AiVsMarketDocument:
    """The comparison on the markets that have votes, odds and the outcome yes or no.

    `generator` draws the permutation test.
    """
    pairs = pairs_of(markets)
    books = (
        _book(backfilled, pairs.where(pairs.is_backfilled == backfilled), generator) for backfilled in (False, True)
    )
    return AiVsMarketDocument(
        schema="ai-vs-market/1",
        **vars(header),
        books=tuple(books),
        count=len(pairs),
        markets=publish(pairs, MOST_LISTED),
    )


def _book(backfilled: bool, pairs: MarketColumns, generator: np.random.Generator) -> VersusBook:
    evidence, gaps = evidence_of(pairs), differences(pairs)
    happened, weeks, rate = evidence.happened, evidence.weeks, evidence.rate
    difference = compare(gaps, weeks, generator)
    return VersusBook(
        backfilled=backfilled,
        n=len(happened),
        simulated=int(pairs.is_simulated.sum()),
        ai=scores(pairs.pool, evidence),
        market=scores(pairs.quoted, evidence),
        base_rate=scores(rate, evidence),
        difference=difference,
        verdict=verdict_on(len(happened), difference),
        **vars(power_of(clustered_mean(gaps, weeks, DIFFERENCES))),
        calibration=Calibrations(calibrate(pairs.pool, happened, weeks), calibrate(pairs.quoted, happened, weeks)),
        diversity=diversity_of(pairs, evidence),
        cumulative=_cumulative(pairs),
        voters=voter_scores(pairs, evidence),
    )


def _cumulative(pairs: MarketColumns) -> tuple[CumulativePoint, ...]:
    n = np.arange(1, len(pairs.happened) + 1)
    ai, market = (np.cumsum(brier(p, pairs.happened)) / n for p in (pairs.pool, pairs.quoted))
    lasts = thinned(np.flatnonzero(np.diff(pairs.resolved_at // DAY, append=np.iinfo(np.int64).max)))
    return tuple(
        CumulativePoint(
            iso(int(pairs.resolved_at[last])), int(n[last]), round(float(ai[last]), 5), round(float(market[last]), 5)
        )
        for last in lasts
    )
