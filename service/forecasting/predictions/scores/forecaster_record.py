"""The record of a forecaster: how good the forecasts were, beside those of the pool and the nine voters.

Only live markets count, in two ways. At the opening the last forecast within an hour of the voters' votes counts, so
all know about the same. Time-weighted, each forecast counts as long as it stood; voters and market vote once, so a
later forecast knows more than theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from service.forecasting.predictions.market_forecasts import MarketForecastScore, is_counted
from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.predictions.scores.evidence import ScoredMarkets, evidence_of
from service.forecasting.predictions.scores.forecast_scores import DIGITS, ForecastScores, scores
from service.forecasting.predictions.scores.streaks import runs
from service.scores.dependence import DIFFERENCES, LEVELS
from service.scores.intervals import clustered_mean, published
from service.scores.luck import Luck, SimulatedRecords
from service.scores.proper import Array, Instants, brier, log_score
from service.scores.sides import DIGITS as SIDE_DIGITS
from service.scores.sides import sides_right


@dataclass(frozen=True)
class PeerScores:
    """The mean Brier score of the pool, and that of the nine voters, minus the forecaster's own, on the same markets.

    Above 0 the forecaster was better.
    """

    peer_pool: float | None
    peer_pool_low: float | None
    peer_pool_high: float | None
    peer_nine: float | None
    peer_nine_low: float | None
    peer_nine_high: float | None


@dataclass(frozen=True)
class OpeningScores(PeerScores, ForecastScores):
    """The scores at the voters' instant: of the last forecast within an hour of their votes.

    `best` is the longest run of right sides, and `luck` says how often
    a forecaster whose own probabilities are right reaches such a run and such an accuracy; null without a side.
    """

    best: int
    luck: Luck | None


@dataclass(frozen=True)
class TimeWeightedMeans:
    """Means over `n` markets, worth `n_eff` independent ones, of the time in which a forecast stood."""

    n: int
    n_eff: float
    brier: float | None
    brier_low: float | None
    brier_high: float | None
    log_score: float | None
    coverage_pct: float | None


@dataclass(frozen=True)
class TimeWeightedScores(PeerScores, TimeWeightedMeans):
    """Scores over the whole time of each of `n` markets, where every forecast counts as long as it stood.

    `brier` and `log_score` are of the time with a forecast, which is `coverage_pct` of it all. In the peer scores the
    time before the first forecast counts 0. Voters and market gave one forecast, at the opening: a later one knows
    more, so these peer scores compare forecasters with each other.
    """


@dataclass(frozen=True)
class ForecasterRecord:
    """Both scores of a forecaster."""

    opening: OpeningScores
    time_weighted: TimeWeightedScores


@dataclass(frozen=True)
class CountedMarkets:
    """The settled live markets in order of resolution, and the Brier scores of the pool and the nine, shape (n,)."""

    markets: MarketColumns
    evidence: ScoredMarkets
    pool: Array
    nine: Array

    @cached_property
    def rows(self) -> dict[str, int]:
        """The place of each market by its id."""
        return {market.id: row for row, market in enumerate(self.markets.market)}


def counted_markets(listed: MarketColumns) -> CountedMarkets:
    """The markets and challenges among those `listed` that count: voted on live, and settled with yes or no."""
    scored = listed.where(np.isfinite(listed.happened) & np.isfinite(listed.pool) & ~listed.is_backfilled)
    markets = scored.where(np.array([is_counted(market) for market in scored.market], dtype=bool))
    evidence = evidence_of(markets)
    errors = brier(markets.of_voters, evidence.happened[:, None])
    voted = np.isfinite(errors).sum(axis=1)
    nine = np.divide(np.nansum(errors, axis=1), voted, out=np.full(len(markets), np.nan), where=voted > 0)
    return CountedMarkets(markets, evidence, brier(markets.pool, evidence.happened), nine)


def record_of(
    scores_by_market: Mapping[str, MarketForecastScore], counted: CountedMarkets, records: SimulatedRecords
) -> ForecasterRecord:
    """The record of a caller from the scores on each market; `records` are the simulated ones of luck."""
    places = sorted((counted.rows[id], score) for id, score in scores_by_market.items() if id in counted.rows)
    return _record(
        np.array([row for row, _ in places], dtype=np.int64),
        np.array([nan if score.opening is None else score.opening for _, score in places], dtype=float),
        np.array([score.brier for _, score in places], dtype=float),
        np.array([score.log_score for _, score in places], dtype=float),
        np.array([score.coverage for _, score in places], dtype=float),
        counted,
        records,
    )


def constant_record(rows: Instants, p: Array, counted: CountedMarkets, records: SimulatedRecords) -> ForecasterRecord:
    """The record of forecasts `p` (n,) of the markets in these rows that stood from the opening on."""
    happened = counted.evidence.happened[rows]
    return _record(rows, p, brier(p, happened), log_score(p, happened), np.ones(len(p)), counted, records)


def _record(
    rows: Instants,
    opening: Array,
    briers: Array,
    logs: Array,
    coverage: Array,
    counted: CountedMarkets,
    records: SimulatedRecords,
) -> ForecasterRecord:
    """The record from arrays of shape (n,) over the markets in these `rows`; `opening` is NaN without a forecast."""
    at_opening = np.isfinite(opening)
    return ForecasterRecord(
        _opening(opening[at_opening], rows[at_opening], counted, records),
        _time_weighted(briers, logs, coverage, rows, counted),
    )


def _opening(p: Array, rows: Instants, counted: CountedMarkets, records: SimulatedRecords) -> OpeningScores:
    evidence = counted.evidence.where(rows)
    sided = np.round(p, SIDE_DIGITS) != 0.5
    right = sides_right(p[sided], evidence.happened[sided])
    _, best = runs(right == 1)
    return OpeningScores(
        **vars(scores(p, evidence)),
        **_peers(brier(p, evidence.happened), np.ones(len(p)), rows, counted),
        best=best,
        luck=records.luck(p[sided], right, evidence.weeks[sided], best),
    )


def _time_weighted(
    briers: Array, logs: Array, coverage: Array, rows: Instants, counted: CountedMarkets
) -> TimeWeightedScores:
    loss = clustered_mean(briers, counted.evidence.weeks[rows], LEVELS)
    return TimeWeightedScores(
        n=loss.n,
        n_eff=round(loss.n_eff, 1),
        **loss.fields("brier", DIGITS, within=(0, 1)),
        log_score=published(logs.mean(), DIGITS) if len(logs) else None,
        coverage_pct=published(100 * coverage.mean(), 2) if len(coverage) else None,
        **_peers(briers, coverage, rows, counted),
    )


def _peers(briers: Array, coverage: Array, rows: Instants, counted: CountedMarkets) -> dict[str, Any]:
    """The peer scores against the pool and the nine, with their intervals."""
    fields: dict[str, Any] = {}
    for name, reference in (("peer_pool", counted.pool[rows]), ("peer_nine", counted.nine[rows])):
        voted = np.isfinite(reference)
        better = (coverage * (reference - briers))[voted]
        fields |= clustered_mean(better, counted.evidence.weeks[rows][voted], DIFFERENCES).fields(name, DIGITS)
    return fields
