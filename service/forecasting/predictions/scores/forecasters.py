"""Forecasters: callers who give P(YES) of a market, hidden until it is settled, beside the nine, their pool and odds.

Only live markets count, in two ways. At the opening the last forecast within an hour of the voters' votes counts, so
all know about the same. Time-weighted, each forecast counts as long as it stood; voters and market vote once, so a
later forecast knows more than theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import nan, sqrt
from typing import Any, Literal

import numpy as np

from service.documents import Document, RecordDocument, RecordHeader
from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import CONSENSUS, KINDS, MarketColumns, ScoredMarkets, evidence_of
from service.forecasting.predictions.scores.forecast_scores import DIGITS, ForecastScores, scores
from service.forecasting.predictions.scores.streaks import runs
from service.market.instants import HOUR
from service.scores.dependence import CHOSEN, LEVELS
from service.scores.intervals import LEAST_N, clustered_mean, published
from service.scores.luck import Luck, RecordsByName, SimulatedRecords, luckiest
from service.scores.proper import Array, Instants, brier, log_score
from service.scores.sides import DIGITS as SIDE_DIGITS
from service.scores.sides import sides_right

# How long after the votes a forecast still counts at their instant: before the opinions of the next hour are published.
OPENING_S = HOUR
# Prices settle a market at full hours, so what decided it early happened in the hour before.
SETTLED_EVERY_S = HOUR


@dataclass(frozen=True)
class MarketForecast:
    """P(YES) that a forecaster gave at the world second `at`; row `seq` of the ledger commits to it with `salt`."""

    seq: int
    market: str
    forecaster: str
    at: int
    p: float
    salt: str


@dataclass(frozen=True)
class MarketForecastScore:
    """The scores of one forecaster on one settled market.

    `opening` is P(YES) at the voters' instant, None without a forecast then. `brier` and `log_score` are time-weighted
    means over the time in which a forecast stood, `coverage` (0-1] of the time from the votes to the end.
    """

    opening: float | None
    brier: float
    log_score: float
    coverage: float


def check_forecastable(market: Prediction) -> None:
    """Raise InvalidRequest unless prices or an outside market will settle the question with yes or no."""
    if market.resolver == "hand":
        raise InvalidRequest("The operator resolves this challenge, not prices, so it takes no forecasts.")
    if market.question.comparator == "open":
        raise InvalidRequest("This question has no yes or no, so it takes no forecasts.")


def is_counted(market: Prediction) -> bool:
    """Whether forecasts of the market count in the table of forecasters, once it is settled with yes or no.

    Votes that were backfilled are no commitments, so forecasters are not compared with them. Challenges are asked by
    callers: thirty of them about the same event would be thirty right answers.
    """
    is_asked_by_service = market.category != "challenge" and market.resolver != "hand"
    return is_asked_by_service and not market.backfilled and market.question.comparator != "open"


def opening_until(market: Prediction) -> int:
    """The world second until which a forecast counts at the voters' instant."""
    return market.voted_at + OPENING_S


def score_forecasts(market: Prediction, forecasts: Sequence[MarketForecast]) -> MarketForecastScore | None:
    """The scores of one forecaster, whose `forecasts` are in order of time; None if none of them counts.

    The last forecast stands until the next one. The time runs from the votes to the close, or to an hour before a
    settlement that came earlier, when nothing was decided yet.
    """
    is_live = market.is_scored and not market.backfilled and market.resolver != "hand"
    if market.settlement is None or market.commitment is None or not is_live:
        return None
    start, end = market.voted_at, market.closes_at
    if market.settlement.resolved_at < end:
        end = market.settlement.resolved_at - SETTLED_EVERY_S
    timely = [forecast for forecast in forecasts if forecast.at < end]
    if not timely or end <= start:
        return None
    starts = np.maximum([forecast.at for forecast in timely], start)
    durations = np.diff(starts, append=end)
    p = np.array([forecast.p for forecast in timely])
    outcomes = np.full(len(p), float(market.outcome == "yes"))
    opening = [forecast.p for forecast in timely if forecast.at < opening_until(market)]
    return MarketForecastScore(
        opening=opening[-1] if opening else None,
        brier=float(np.average(brier(p, outcomes), weights=durations)),
        log_score=float(np.average(log_score(p, outcomes), weights=durations)),
        coverage=float(durations.sum() / (end - start)),
    )


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

    `best` is the longest run of right sides, and `luck` says how often one of `among` forecasters whose own
    probabilities are right reaches such a run and such an accuracy; null without a side.
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
    """Both scores of a forecaster, whose intervals are corrected for a choice among so many `entrants`."""

    opening: OpeningScores
    time_weighted: TimeWeightedScores
    entrants: int = 0  # of a record of an earlier version, which is computed again


@dataclass(frozen=True)
class CountedMarkets:
    """The settled live markets in order of resolution, and the Brier scores of the pool and the nine, shape (n,).

    `entrants` forecast them, rounded up to a power of two so that records are seldom computed again.
    """

    columns: MarketColumns
    evidence: ScoredMarkets
    pool: Array
    nine: Array
    entrants: int

    @cached_property
    def rows(self) -> dict[str, int]:
        return {market.id: row for row, market in enumerate(self.columns.market)}


def counted_markets(columns: MarketColumns, callers: int = 0) -> CountedMarkets:
    """The markets among these `columns` that count: voted on live, and settled with yes or no.

    So many `callers` forecast them beside the voters and the outside markets.
    """
    markets = columns.where(np.isfinite(columns.outcome) & np.isfinite(columns.pool) & ~columns.is_backfilled)
    markets = markets.where(np.array([is_counted(market) for market in markets.market], dtype=bool))
    residents = {*markets.engines, *(market.odds.source for market in markets.market if market.odds)}
    entrants = 1 << (callers + len(residents) - 1).bit_length()
    evidence = replace(evidence_of(markets), luckiest=luckiest(entrants))
    errors = brier(markets.of_voters, evidence.outcomes[:, None])
    counts = np.isfinite(errors).sum(axis=1)
    nine = np.divide(np.nansum(errors, axis=1), counts, out=np.full(len(markets), np.nan), where=counts > 0)
    return CountedMarkets(markets, evidence, brier(markets.pool, evidence.outcomes), nine, entrants)


def record_of(
    scores_by_market: Mapping[str, MarketForecastScore], markets: CountedMarkets, records: SimulatedRecords
) -> ForecasterRecord:
    """The record of a caller from the scores on each market; `records` are the simulated ones of luck."""
    by_row = {markets.rows[id]: score for id, score in scores_by_market.items() if id in markets.rows}
    rows = sorted(by_row)
    numbers = [(score.opening, score.brier, score.log_score, score.coverage) for score in map(by_row.__getitem__, rows)]
    opening, briers, logs, coverage = np.array(numbers, dtype=float).reshape(-1, 4).T.copy()  # None becomes NaN
    return _record(np.array(rows, dtype=np.int64), opening, briers, logs, coverage, markets, records)


def constant_record(rows: Instants, p: Array, markets: CountedMarkets, records: SimulatedRecords) -> ForecasterRecord:
    """The record of forecasts `p` (n,) of the markets in these rows that stood from the opening on."""
    outcomes = markets.evidence.outcomes[rows]
    return _record(rows, p, brier(p, outcomes), log_score(p, outcomes), np.ones(len(p)), markets, records)


def _record(
    rows: Instants,
    opening: Array,
    briers: Array,
    logs: Array,
    coverage: Array,
    markets: CountedMarkets,
    records: SimulatedRecords,
) -> ForecasterRecord:
    """The record from arrays of shape (n,) over the markets in these `rows`; `opening` is NaN without a forecast."""
    at_opening = np.isfinite(opening)
    loss = clustered_mean(briers, markets.evidence.weeks[rows], LEVELS, markets.evidence.luckiest)
    return ForecasterRecord(
        _opening(opening[at_opening], rows[at_opening], markets, records),
        TimeWeightedScores(
            n=loss.n,
            n_eff=round(loss.n_eff, 1),
            **loss.fields("brier", DIGITS, within=(0, 1)),
            log_score=published(logs.mean(), DIGITS) if len(logs) else None,
            coverage_pct=published(100 * coverage.mean(), 2) if len(coverage) else None,
            **peers_of(briers, coverage, rows, markets),
        ),
        markets.entrants,
    )


def _opening(p: Array, rows: Instants, markets: CountedMarkets, records: SimulatedRecords) -> OpeningScores:
    evidence = markets.evidence.where(rows)
    has_side = np.round(p, SIDE_DIGITS) != 0.5
    right = sides_right(p[has_side], evidence.outcomes[has_side])
    _, best = runs(right == 1)
    return OpeningScores(
        **vars(scores(p, evidence)),
        **peers_of(brier(p, evidence.outcomes), np.ones(len(p)), rows, markets),
        best=best,
        luck=records.luck(p[has_side], right, evidence.weeks[has_side], best, markets.entrants),
    )


def peers_of(briers: Array, coverage: Array, rows: Instants, markets: CountedMarkets) -> dict[str, Any]:
    """How much better the forecasts were than the pool and the nine; no choice of forecasts narrows the intervals.

    Whoever is on the likelier side of sure markets wins little and often, so that a record without a loss looks
    certain: a deviation is at least the one that shows if the pool's probabilities are right. Whoever is on one side of
    all moves of a week wins or loses at once: CHOSEN expects that.
    """
    evidence, pool = markets.evidence.where(rows), markets.columns.pool[rows]
    p = np.abs(evidence.outcomes - np.sqrt(briers))
    at_stake = np.square(2 * coverage * (p - pool)) * pool * (1 - pool)
    fields: dict[str, Any] = {}
    for name, reference in (("peer_pool", markets.pool[rows]), ("peer_nine", markets.nine[rows])):
        has_reference = np.isfinite(reference)
        better = (coverage * (reference - briers))[has_reference]
        gain = clustered_mean(better, evidence.weeks[has_reference], CHOSEN, evidence.luckiest)
        least = sqrt(at_stake[has_reference].sum() / max(gain.n, 1))
        fields |= replace(gain, deviation=max(gain.deviation, least)).fields(name, DIGITS)
    return fields


ForecasterKind = Literal["forecaster", "voter", "pool", "market"]

POOL, MARKET = "pool", "market"
# Names that no caller may take: those of the service's own forecasters, and what they may be mistaken for.
RESERVED_NAMES = frozenset(
    {*KINDS, POOL, MARKET, "apex", "swarm", "consensus", "ninefold", "operator", "admin", "logit", "forest"}
    | {"polymarket", "kalshi", "official", "moderator", "support", "staff", "team", "system", "oracle"}
)
# The names that callers may take: lower case, so that no two differ in it alone, and safe in addresses and pages.
NAMES = "[a-z0-9][a-z0-9_-]{1,30}[a-z0-9]"
MOST_CALLERS = 500  # callers in the table


@dataclass(frozen=True)
class RankedForecaster:
    """Who a row is about."""

    rank: int | None
    name: str
    kind: ForecasterKind
    engine: str | None
    id: str | None


@dataclass(frozen=True)
class ForecasterEntry(ForecasterRecord, RankedForecaster):
    """A row of the table.

    The `rank` is by `opening.peer_pool_low`, so that a row above `pool` is better than the pool even as the best of all
    entrants; equal ones share it, and a row with fewer than 30 markets there has none. `id` is the subject of a
    caller's rows in the ledger, null for the service's own; `engine` is that of a voter or the source of the outside
    market, null for the others.
    """


@dataclass(frozen=True)
class ForecastersDocument(RecordDocument):
    """The document of GET /api/v1/forecasters, ranked rows first; at most 500 callers are listed.

    `count` is the number of rows, `forecasters` that of all callers who gave a forecast.
    """

    count: int
    forecasters: int
    entries: tuple[ForecasterEntry, ...]


@dataclass(frozen=True)
class RevealedForecast:
    """A forecast of a settled market; `seq` is the row of the ledger that committed to it."""

    market_id: str
    question: str
    p_yes: float
    forecast_at: str
    seq: int
    outcome: Outcome
    resolved_at: str


@dataclass(frozen=True)
class ForecasterDocument(Document):
    """One forecaster: the row of the table, or one for each engine of a voter, and the latest forecasts.

    `entries` is empty before the first settled market, `forecasts` for the service's own forecasters, whose votes are
    those of the markets. A caller beyond the rows of the table has no rank.
    """

    name: str
    entries: tuple[ForecasterEntry, ...]
    forecasts: tuple[RevealedForecast, ...]


def forecasters_document(
    callers: Sequence[tuple[str, str, ForecasterRecord]],
    forecasters: int,
    own_rows: Sequence[ForecasterEntry],
    header: RecordHeader,
) -> ForecastersDocument:
    """The table from the name, the id and the record of each caller, and the number of all `forecasters`.

    `own_rows` are those of the service's own, without ranks.
    """
    caller_rows = [caller_entry(name, id, record) for name, id, record in callers if record.time_weighted.n]
    ranking = _ranked([*caller_rows, *own_rows])
    ids = {entry.id for entry in islice((entry for entry in ranking if entry.id), MOST_CALLERS)}
    entries = tuple(entry for entry in ranking if entry.id is None or entry.id in ids)
    return ForecastersDocument(
        schema="forecasters/1", **vars(header), count=len(entries), forecasters=forecasters, entries=entries
    )


def caller_entry(name: str, id: str, record: ForecasterRecord, rank: int | None = None) -> ForecasterEntry:
    return ForecasterEntry(**vars(record), rank=rank, name=name, kind="forecaster", engine=None, id=id)


def own_entries(counted: CountedMarkets, records: RecordsByName) -> list[ForecasterEntry]:
    """The rows of the service's own forecasters: each engine of a voter, the pool, and each outside market.

    They have no ranks yet; `records` has their simulated records.
    """
    markets = counted.columns
    sources = np.array([market.odds.source if market.odds else "" for market in markets.market], dtype=object)
    entries = [
        _own_entry("pool", POOL, None, p, counted, records)
        if engine == CONSENSUS
        else _own_entry("voter", *engine, p, counted, records)
        for engine, p in zip(markets.engines, markets.p.T, strict=True)
    ]
    entries += [
        _own_entry("market", MARKET, source, np.where(sources == source, markets.quote, nan), counted, records)
        for source in sorted({*sources.tolist()} - {""})
    ]
    return [entry for entry in entries if entry.opening.n]


def _own_entry(
    kind: ForecasterKind, name: str, engine: str | None, p: Array, markets: CountedMarkets, records: RecordsByName
) -> ForecasterEntry:
    rows = np.flatnonzero(np.isfinite(p))
    record = constant_record(rows, p[rows], markets, records[kind, name, engine])
    return ForecasterEntry(**vars(record), rank=None, name=name, kind=kind, engine=engine, id=None)


def _ranked(entries: Sequence[ForecasterEntry]) -> list[ForecasterEntry]:
    skills = [entry.opening.peer_pool_low if entry.opening.n >= LEAST_N else None for entry in entries]
    order = sorted((skill for skill in skills if skill is not None), reverse=True)
    ranks = (None if skill is None else 1 + order.index(skill) for skill in skills)
    rows = [replace(entry, rank=rank) for entry, rank in zip(entries, ranks, strict=True)]
    return sorted(rows, key=lambda entry: (entry.rank or len(order) + 1, -entry.time_weighted.n, entry.name))
