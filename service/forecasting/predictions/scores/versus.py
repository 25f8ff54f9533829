"""The pool compared with the outside market on the same markets at the same instant, in two separate books.

Markets that resolve in the same calendar week are correlated, so the interval is clustered by week and the permutation
test flips whole weeks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal

import numpy as np

from service.documents import RecordDocument, RecordHeader
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.columns import MarketColumns, day_ends, evidence_of
from service.forecasting.predictions.scores.forecast_scores import (
    CalibrationReport,
    Diversity,
    ForecastScores,
    VoterScore,
    calibrate,
    diversity_of,
    scores,
    voter_scores,
)
from service.market.instants import iso
from service.scores.intervals import (
    DIFFERENCES,
    LEAST_N,
    ClusteredMean,
    clustered_mean,
    needed_to_see,
    published,
    sign_flip_p,
)
from service.scores.luck import luckiest
from service.scores.proper import Array, Instants, brier, log_score


@dataclass(frozen=True)
class MarketScore:
    """Brier and log scores of a resolved market, lower is better; those of the outside market are null without odds.

    `difference` is the pool's Brier score minus the market's.
    """

    brier_ai: float
    brier_market: float | None
    log_ai: float
    log_market: float | None
    difference: float | None


def scores_of(markets: Sequence[Prediction]) -> list[MarketScore | None]:
    """The scores of each market; None unless it was voted on and came out yes or no."""
    ai = np.array([market.commitment.p if market.commitment and market.is_scored else nan for market in markets])
    quotes = np.array([market.odds.p_yes if market.odds else nan for market in markets])
    outcomes = np.array([float(market.outcome == "yes") for market in markets])
    columns = (np.round(score(p, outcomes), 5).tolist() for score in (brier, log_score) for p in (ai, quotes))
    return [_score(*row) for row in zip(*columns, strict=True)]


def _score(brier_ai: float, brier_market: float, log_ai: float, log_market: float) -> MarketScore | None:
    if isnan(brier_ai):
        return None
    if isnan(brier_market):
        return MarketScore(brier_ai, None, log_ai, None, None)
    return MarketScore(brier_ai, brier_market, log_ai, log_market, round(brier_ai - brier_market, 5))


Verdict = Literal["not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better"]

SIGNIFICANT = 0.05
GAPS = (0.05, 0.02)  # gaps of Brier scores for which `needed_for` is published
# Standard deviation of a difference and design effect of weeks, measured on markets of this service; assumed until a
# book has its own.
USUAL_DEVIATION, USUAL_DESIGN_EFFECT, LEAST_WEEKS = 0.1205, 1.5, 8


@dataclass(frozen=True)
class Difference:
    """The pool's mean Brier score minus the market's: negative where the pool was better.

    `low` and `high` are the 95% interval by Student's t, clustered by the `weeks` in which the `n` markets resolved,
    which are worth `n_eff` independent ones. `p_value` is that of a permutation test that flips whole weeks.
    """

    mean: float
    low: float
    high: float
    p_value: float
    n: int
    n_eff: float
    weeks: int


@dataclass(frozen=True)
class Power:
    """The number of resolved markets that show a gap of Brier scores: two-sided at 5%, power 80%, at least 30.

    `needed` is for a gap of the present size, null where there is none; `needed_for` for gaps of 0.05 and 0.02. Both
    follow from the standard `deviation` of a difference and from the `design_effect` of weeks: n markets are worth n /
    design effect independent ones. The deviation is assumed with fewer than 30 resolved markets, the design effect with
    those of fewer than eight weeks.
    """

    needed: int | None
    needed_for: dict[str, int]
    deviation: float
    deviation_assumed: bool
    design_effect: float
    design_effect_assumed: bool


def power_of(difference: ClusteredMean) -> Power:
    """The numbers of markets that would show a gap, from a mean difference over any number of markets."""
    varies = difference.deviation > 0
    has_deviation = difference.n >= LEAST_N and varies
    has_effect = difference.clusters >= LEAST_WEEKS and varies
    deviation = difference.deviation if has_deviation else USUAL_DEVIATION
    effect = difference.design_effect if has_effect else USUAL_DESIGN_EFFECT
    gap = published(difference.mean, 5)
    return Power(
        needed=needed_to_see(gap, deviation, effect) if gap else None,
        needed_for={str(size): needed_to_see(size, deviation, effect) for size in GAPS},
        deviation=round(deviation, 5),
        deviation_assumed=not has_deviation,
        design_effect=round(effect, 3),
        design_effect_assumed=not has_effect,
    )


def compare(differences: Array, weeks: Instants, generator: np.random.Generator) -> Difference | None:
    """The mean of the `differences` (n,) with its interval; None before markets have resolved in two calendar weeks."""
    mean = clustered_mean(differences, weeks, DIFFERENCES)
    if mean.clusters < 2:
        return None
    low, high = mean.interval()
    return Difference(
        mean=round(mean.mean, 5),
        low=round(low, 5),
        high=round(high, 5),
        p_value=round(sign_flip_p(differences, weeks, generator), 4),
        n=mean.n,
        n_eff=round(mean.n_eff, 1),
        weeks=mean.clusters,
    )


def verdict_on(n: int, difference: Difference | None) -> Verdict:
    """The verdict; a forecaster is better only if the interval and the permutation test agree."""
    if n < LEAST_N:
        return "not enough resolved markets"
    if difference is None or difference.p_value >= SIGNIFICANT or difference.low <= 0 <= difference.high:
        return "no clear difference yet"
    return "the AI is better" if difference.mean < 0 else "the market is better"


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
class VersusBook(Power):
    """One book. `difference` is null until markets have resolved in two calendar weeks.

    The odds of `simulated` of the `n` markets are of no real market. `base_rate` forecasts how often such a market
    (same category and comparator) had come out YES before. `diversity` is null with fewer than 30 markets. The voters
    come best Brier score first, so their intervals are corrected for their number.
    """

    backfilled: bool
    n: int
    simulated: int
    ai: ForecastScores
    market: ForecastScores
    base_rate: ForecastScores
    difference: Difference | None
    verdict: Verdict
    diversity: Diversity | None
    calibration: Calibrations
    cumulative: tuple[CumulativePoint, ...]
    voters: tuple[VoterScore, ...]


@dataclass(frozen=True)
class AiVsMarketDocument(RecordDocument):
    """The document of GET /api/predictions/ai-vs-market: the live book and the backfilled one, never combined.

    `count` is the number of resolved markets with both probabilities; `/api/v1/markets?status=resolved` has each.
    """

    books: tuple[VersusBook, ...]
    count: int


def ai_vs_market_document(
    markets: MarketColumns, header: RecordHeader, generator: np.random.Generator
) -> AiVsMarketDocument:
    """The comparison on the markets with votes, odds and an outcome; `generator` draws the permutation test."""
    pairs = markets.where(np.isfinite(markets.pool) & np.isfinite(markets.quote) & np.isfinite(markets.outcome))
    books = (_book(book, pairs.where(pairs.is_backfilled == book), generator) for book in (False, True))
    return AiVsMarketDocument(
        schema="ai-vs-market/1",
        **vars(header),
        books=tuple(books),
        count=len(pairs),
    )


def _book(backfilled: bool, pairs: MarketColumns, generator: np.random.Generator) -> VersusBook:
    evidence, gaps = evidence_of(pairs), brier(pairs.pool, pairs.outcome) - brier(pairs.quote, pairs.outcome)
    outcomes, weeks = evidence.outcomes, evidence.weeks
    difference = compare(gaps, weeks, generator)
    return VersusBook(
        backfilled=backfilled,
        n=len(outcomes),
        simulated=int(pairs.is_simulated.sum()),
        ai=scores(pairs.pool, evidence),
        market=scores(pairs.quote, evidence),
        base_rate=scores(evidence.rate, evidence),
        difference=difference,
        verdict=verdict_on(len(outcomes), difference),
        **vars(power_of(clustered_mean(gaps, weeks, DIFFERENCES))),
        calibration=Calibrations(calibrate(pairs.pool, outcomes, weeks), calibrate(pairs.quote, outcomes, weeks)),
        diversity=diversity_of(pairs, evidence),
        cumulative=_cumulative(pairs),
        voters=voter_scores(pairs, replace(evidence, luckiest=luckiest(len(pairs.engines)))),
    )


def _cumulative(pairs: MarketColumns) -> tuple[CumulativePoint, ...]:
    n = np.arange(1, len(pairs.outcome) + 1)
    ai, market = (np.cumsum(brier(p, pairs.outcome)) / n for p in (pairs.pool, pairs.quote))
    lasts = day_ends(pairs.resolved_at)
    rows = zip(*(column[lasts].tolist() for column in (pairs.resolved_at, n, ai, market)), strict=True)
    return tuple(CumulativePoint(iso(at), count, round(pool, 5), round(odds, 5)) for at, count, pool, odds in rows)
