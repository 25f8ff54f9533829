"""Forecasters: callers who give P(YES) of a market, hidden until it is settled, beside the nine, their pool and odds.

Only live markets count, in two ways. Time-weighted, each forecast counts as long as it stood, against those that stood
at the same time; the pool votes once, so a later forecast knows more than it. At the opening the last forecast within
an hour of the votes counts, so all know about the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from math import nan, sqrt
from typing import Any, Literal

import numpy as np

from service.documents import Document, RecordDocument, RecordHeader
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import CONSENSUS, KINDS, MarketColumns, ScoredMarkets, evidence_of
from service.forecasting.predictions.scores.forecast_scores import DIGITS, ForecastScores, scores
from service.forecasting.predictions.scores.market_forecasts import MarketForecastScore, counted_until, is_counted
from service.forecasting.predictions.scores.streaks import runs
from service.scores.intervals import CHOSEN, LEAST_N, LEVELS, clustered_mean, published, sides_right
from service.scores.intervals import DIGITS as SIDE_DIGITS
from service.scores.luck import Luck, luck_of, luckiest
from service.scores.proper import Array, Instants, brier, log_score


@dataclass(frozen=True)
class PeerScores:
    """The mean log score of the others minus the forecaster's own, on the same markets; above 0 it was better.

    In `peer` the others are the pool and every caller with a forecast then, in `peer_pool` the pool alone. The voters,
    the pool and the outside market forecast once, so for them both are against the pool.
    """

    peer: float | None
    peer_low: float | None
    peer_high: float | None
    peer_pool: float | None
    peer_pool_low: float | None
    peer_pool_high: float | None


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
    rest of the time counts 0. The pool gave one forecast, at the opening: a later one knows more.
    """


@dataclass(frozen=True)
class ForecasterRecord:
    """Both scores of a forecaster, whose intervals are corrected for a choice among so many `entrants`."""

    opening: OpeningScores
    time_weighted: TimeWeightedScores
    entrants: int = 0  # of a record of an earlier version, which is computed again


@dataclass(frozen=True)
class CountedMarkets:
    """The settled live markets in order of resolution, the log scores of the pool and the share of time that counts.

    `entrants` forecast them, rounded up to a power of two so that records are seldom computed again.
    """

    columns: MarketColumns
    evidence: ScoredMarkets
    pool: Array
    coverage: Array
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
    ends = np.array([counted_until(market) for market in markets.market], dtype=np.int64)
    closes = np.array([market.closes_at for market in markets.market], dtype=np.int64)
    coverage = np.maximum(ends - markets.voted_at, 0) / np.maximum(closes - markets.voted_at, 1)
    return CountedMarkets(markets, evidence, log_score(markets.pool, evidence.outcomes), coverage, entrants)


def record_of(scores_by_market: Mapping[str, MarketForecastScore], markets: CountedMarkets) -> ForecasterRecord:
    """The record of a caller from the scores on each market."""
    by_row = {markets.rows[id]: score for id, score in scores_by_market.items() if id in markets.rows}
    rows = sorted(by_row)
    numbers = [tuple(vars(score).values()) for score in map(by_row.__getitem__, rows)]
    columns = np.array(numbers, dtype=float).reshape(-1, len(fields(MarketForecastScore))).T  # None becomes NaN
    return _record(np.array(rows, dtype=np.int64), columns.copy(), markets)


def constant_record(rows: Instants, p: Array, markets: CountedMarkets) -> ForecasterRecord:
    """The record of forecasts `p` (n,) of the markets in these rows that stood from the opening on."""
    outcomes, coverage = markets.evidence.outcomes[rows], markets.coverage[rows]
    losses = log_score(p, outcomes)
    gain = markets.pool[rows] - losses
    columns = np.array([p, gain, brier(p, outcomes), losses, coverage, coverage * gain])
    return _record(rows, columns, markets)


def _record(rows: Instants, columns: Array, markets: CountedMarkets) -> ForecasterRecord:
    """The record from the fields of MarketForecastScore, shape (fields, n), over the markets in these `rows`."""
    opening, opening_peer, briers, losses, coverage, peer = columns
    at_opening = np.isfinite(opening)
    loss = clustered_mean(briers, markets.evidence.weeks[rows], LEVELS, markets.evidence.luckiest)
    return ForecasterRecord(
        _opening(opening[at_opening], opening_peer[at_opening], rows[at_opening], markets),
        TimeWeightedScores(
            n=loss.n,
            n_eff=round(loss.n_eff, 1),
            **loss.fields("brier", DIGITS, within=(0, 1)),
            log_score=published(losses.mean(), DIGITS) if len(losses) else None,
            coverage_pct=published(100 * coverage.mean(), 2) if len(coverage) else None,
            **peers_of(peer, losses, coverage, rows, markets),
        ),
        markets.entrants,
    )


def _opening(p: Array, peer: Array, rows: Instants, markets: CountedMarkets) -> OpeningScores:
    evidence = markets.evidence.where(rows)
    has_side = np.round(p, SIDE_DIGITS) != 0.5
    right = sides_right(p[has_side], evidence.outcomes[has_side])
    _, best = runs(right == 1)
    return OpeningScores(
        **vars(scores(p, evidence)),
        **peers_of(peer, log_score(p, evidence.outcomes), np.ones(len(p)), rows, markets),
        best=best,
        luck=luck_of(p[has_side], right, evidence.weeks[has_side], best, markets.entrants),
    )


def peers_of(peer: Array, losses: Array, coverage: Array, rows: Instants, markets: CountedMarkets) -> dict[str, Any]:
    """How much better the forecasts were than the others and than the pool; no choice of them narrows the intervals.

    Whoever is on the likelier side of sure markets wins little and often, so that a record without a loss looks
    certain: a deviation is at least the one that shows if the pool's probabilities are right. Whoever is on one side of
    all moves of a week wins or loses at once: CHOSEN expects that.
    """
    evidence, pool = markets.evidence.where(rows), markets.columns.pool[rows]
    p = np.abs(1 - evidence.outcomes - np.exp(-losses))
    if_yes, if_no = (log_score(pool, outcome) - log_score(p, outcome) for outcome in (np.ones(1), np.zeros(1)))
    at_stake = np.square(coverage * (if_yes - if_no)) * pool * (1 - pool)
    least = sqrt(at_stake.sum() / max(len(rows), 1))
    intervals: dict[str, Any] = {}
    for name, gains in (("peer", peer), ("peer_pool", coverage * (markets.pool[rows] - losses))):
        gain = clustered_mean(gains, evidence.weeks, CHOSEN, evidence.luckiest)
        intervals |= replace(gain, deviation=max(gain.deviation, least)).fields(name, DIGITS)
    return intervals


ForecasterKind = Literal["forecaster", "voter", "pool", "market"]

POOL, MARKET = "pool", "market"
# Words that speak for the service or for a market: no caller's name has one of them.
CLAIMS = frozenset(
    {"ninefold", "operator", "admin", "official", "moderator", "support", "staff", "team", "system", "oracle"}
    | {"consensus", "polymarket", "kalshi", POOL, MARKET}
)
OWN_NAMES = frozenset({*KINDS, POOL, MARKET})
# Names that no caller may take.
RESERVED_NAMES = CLAIMS | OWN_NAMES | {"apex", "swarm", "logit", "forest"}
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

    The `rank` is by `time_weighted.peer_low`, or by its `peer_pool_low` where that is lower: callers who lose on
    purpose would else lift another. Equal ones share it, and a row with fewer than 30 markets has none. `id` is the
    subject of a caller's rows in the ledger, null for the service's own; `engine` is that of a voter or the source of
    the outside market, null for the others.
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


def own_entries(counted: CountedMarkets) -> list[ForecasterEntry]:
    """The rows of the service's own forecasters, not ranked: each engine of a voter, the pool, each outside market."""
    markets = counted.columns
    sources = np.array([market.odds.source if market.odds else "" for market in markets.market], dtype=object)
    probabilities: dict[tuple[ForecasterKind, str, str | None], Array] = {}
    for engine, p in zip(markets.engines, markets.p.T, strict=True):
        probabilities[("pool", POOL, None) if engine == CONSENSUS else ("voter", *engine)] = p
    for source in sorted({*sources.tolist()} - {""}):
        probabilities["market", MARKET, source] = np.where(sources == source, markets.quote, nan)
    entries: list[ForecasterEntry] = []
    for (kind, name, engine), p in probabilities.items():
        rows = np.flatnonzero(np.isfinite(p))
        record = constant_record(rows, p[rows], counted)
        entries.append(ForecasterEntry(**vars(record), rank=None, name=name, kind=kind, engine=engine, id=None))
    return [entry for entry in entries if entry.opening.n]


def _ranked(entries: Sequence[ForecasterEntry]) -> list[ForecasterEntry]:
    skills = [skill_of(entry.time_weighted) for entry in entries]
    order = sorted((skill for skill in skills if skill is not None), reverse=True)
    ranks = (None if skill is None else 1 + order.index(skill) for skill in skills)
    rows = [replace(entry, rank=rank) for entry, rank in zip(entries, ranks, strict=True)]
    return sorted(rows, key=lambda entry: (entry.rank or len(order) + 1, -entry.time_weighted.n, entry.name))


def skill_of(scores: TimeWeightedScores) -> float | None:
    """What ranks are by; None with too few markets."""
    lows = [low for low in (scores.peer_low, scores.peer_pool_low) if low is not None]
    return min(lows) if scores.n >= LEAST_N and len(lows) == 2 else None
