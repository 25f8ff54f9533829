"""The pool compared with the outside market on the same markets at the same instant, in two separate books."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.calibration import CalibrationReport, calibrate
from service.forecasting.predictions.scores.difference import Difference, Verdict, compare, deviation_of, verdict_on
from service.forecasting.predictions.scores.forecast_scores import ForecastScores, VoterScore, scores, voter_scores
from service.forecasting.predictions.scores.pairs import PairedMarket, Pairs, pairs_of, publish
from service.forecasting.voters.scoring import base_rate_known, brier, needed_to_see
from service.market.instants import DAY, iso

GAPS = (0.05, 0.02)  # gaps of Brier scores for which `needed_for` is published
MOST_LISTED = 2000


@dataclass(frozen=True)
class Calibrations:
    """The calibration of the pool and of the outside market; null with fewer than 30 resolved markets."""

    ai: CalibrationReport | None
    market: CalibrationReport | None


@dataclass(frozen=True)
class CumulativePoint:
    """Mean Brier scores of the `n` markets resolved so far, at the last resolution of a day."""

    resolved_at: str
    n: int
    brier_ai: float
    brier_market: float


@dataclass(frozen=True)
class VersusBook:
    """One book. `difference` is null until markets have resolved in two calendar weeks.

    `needed` is the number of resolved markets required to detect a gap of the present size, and `needed_for` the number
    for gaps of 0.05 and 0.02: two-sided at 5%, power 80%, with independent markets. Both depend on the standard
    deviation of a difference, which is assumed with fewer than 30 resolved markets.
    """

    backfilled: bool
    n: int
    ai: ForecastScores
    market: ForecastScores
    base_rate: ForecastScores
    difference: Difference | None
    verdict: Verdict
    needed: int | None
    needed_for: dict[str, int]
    deviation: float
    deviation_assumed: bool
    calibration: Calibrations
    cumulative: tuple[CumulativePoint, ...]
    voters: tuple[VoterScore, ...]


@dataclass(frozen=True)
class AiVsMarketDocument(Document):
    """The document of GET /api/predictions/ai-vs-market: the live book and the backfilled one, never combined.

    `count` is the number of resolved markets with both probabilities, `markets` the latest 2,000, newest first.
    """

    books: tuple[VersusBook, ...]
    count: int
    markets: tuple[PairedMarket, ...]


def ai_vs_market_document(
    markets: Iterable[Prediction], header: DocumentHeader, generator: np.random.Generator
) -> AiVsMarketDocument:
    """The comparison on the markets that have votes, odds and the outcome yes or no.

    `generator` is used for the bootstrap and the permutation test.
    """
    pairs = pairs_of(markets)
    books = (
        _book(backfilled, pairs_of(market for market in pairs.markets if market.backfilled == backfilled), generator)
        for backfilled in (False, True)
    )
    return AiVsMarketDocument(
        schema="ai-vs-market/1",
        **vars(header),
        books=tuple(books),
        count=len(pairs.markets),
        markets=publish(pairs, MOST_LISTED),
    )


def _book(backfilled: bool, pairs: Pairs, generator: np.random.Generator) -> VersusBook:
    happened = pairs.happened
    differences = pairs.differences
    base_rate = base_rate_known(happened, pairs.voted, pairs.resolved)
    deviation, is_assumed = deviation_of(differences)
    difference = compare(differences, pairs.resolved, generator)
    gap = round(float(differences.mean()), 5) if len(differences) else 0.0
    return VersusBook(
        backfilled=backfilled,
        n=len(differences),
        ai=scores(pairs.ai, happened, base_rate),
        market=scores(pairs.market, happened, base_rate),
        base_rate=scores(base_rate, happened, base_rate),
        difference=difference,
        verdict=verdict_on(len(differences), difference),
        needed=needed_to_see(gap, deviation) if gap else None,
        needed_for={str(size): needed_to_see(size, deviation) for size in GAPS},
        deviation=round(deviation, 5),
        deviation_assumed=is_assumed,
        calibration=Calibrations(calibrate(pairs.ai, happened), calibrate(pairs.market, happened)),
        cumulative=_cumulative(pairs),
        voters=voter_scores(pairs.markets, happened),
    )


def _cumulative(pairs: Pairs) -> tuple[CumulativePoint, ...]:
    n = np.arange(1, len(pairs.happened) + 1)
    ai, market = (np.cumsum(brier(p, pairs.happened)) / n for p in (pairs.ai, pairs.market))
    lasts = np.flatnonzero(np.diff(pairs.resolved // DAY, append=np.iinfo(np.int64).max))
    return tuple(
        CumulativePoint(
            iso(int(pairs.resolved[last])), int(n[last]), round(float(ai[last]), 5), round(float(market[last]), 5)
        )
        for last in lasts
    )
