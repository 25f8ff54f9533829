"""The pool against the outside market: the same markets, the same instant, two books that are never added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from service.forecasting.predictions import Made, Settled
from service.forecasting.predictions.entries import is_scored
from service.forecasting.scores.calibration import Calibration, calibrate
from service.forecasting.scores.difference import Difference, Verdict, compare, deviation_of, verdict_on
from service.forecasting.scores.forecast_scores import Scores, VoterScore, scores, voter_scores
from service.forecasting.scores.pairs import PairedMarket, Pairs, pairs_of, told
from service.forecasting.scoring import base_rate_known, brier, needed_to_see
from service.market.clock import World
from service.market.instants import DAY, iso

GAPS = (0.05, 0.02)  # of Brier, whose needed numbers are told whatever the present gap is
MOST_TOLD = 2000


@dataclass(frozen=True)
class Calibrations:
    """How well each is calibrated; null below 30 resolved markets."""

    ai: Calibration | None
    market: Calibration | None


@dataclass(frozen=True)
class CumulativePoint:
    """Mean Brier scores of the `n` markets that had resolved by the last instant of a day on which one did."""

    resolved_at: str
    n: int
    brier_ai: float
    brier_market: float


@dataclass(frozen=True)
class VersusBook:
    """One book. `difference` is null until markets have resolved in two calendar weeks.

    `needed` is how many resolved markets it takes to see a gap as large as the present one, and `needed_for` those of
    0.05 and 0.02: two-sided at 5 %, power 80 %, each market counted as independent. They follow from the standard
    deviation of a difference, which is an assumed one below 30 resolved markets.
    """

    backfilled: bool
    n: int
    ai: Scores
    market: Scores
    base_rate: Scores
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
class AiVsMarketDocument:
    """The document of GET /api/predictions/ai-vs-market: the live book and the backfilled one, never added up.

    `count` is how many resolved markets both gave a probability, `markets` the latest 2,000 of them, newest first.
    """

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    books: tuple[VersusBook, ...]
    count: int
    markets: tuple[PairedMarket, ...]


def ai_vs_market_document(settled: Iterable[Settled], made: Made, generator: np.random.Generator) -> AiVsMarketDocument:
    """The comparison on every market that was voted on, had odds and came out yes or no.

    `generator` draws the intervals and the flips.
    """
    both = [one for one in settled if one.commitment and one.odds and is_scored(one)]
    both.sort(key=lambda one: (one.settlement.resolved_at, one.market.deadline, one.market.id))
    books = (
        _book(backfilled, pairs_of([one for one in both if one.market.backfilled == backfilled]), generator)
        for backfilled in (False, True)
    )
    return AiVsMarketDocument(
        schema="ai-vs-market/1",
        **vars(made),
        books=tuple(books),
        count=len(both),
        markets=told(pairs_of(both[-MOST_TOLD:])),
    )


def _book(backfilled: bool, pairs: Pairs, generator: np.random.Generator) -> VersusBook:
    happened = pairs.happened
    differences = pairs.differences
    base_rate = base_rate_known(happened, pairs.asked, pairs.resolved)
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
        needed_for={str(each): needed_to_see(each, deviation) for each in GAPS},
        deviation=round(deviation, 5),
        deviation_assumed=is_assumed,
        calibration=Calibrations(calibrate(pairs.ai, happened), calibrate(pairs.market, happened)),
        cumulative=_cumulative(pairs),
        voters=voter_scores(pairs.settled, happened),
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
