"""The table of forecasters: callers with a public name beside the nine voters, their pool and the outside market."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import nan
from typing import Literal

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import CONSENSUS, KINDS
from service.forecasting.predictions.scores.forecaster_record import CountedMarkets, ForecasterRecord, constant_record
from service.scores.intervals import LEAST_N
from service.scores.luck import RecordsByName
from service.scores.proper import Array

ForecasterKind = Literal["forecaster", "voter", "pool", "market"]

POOL, MARKET = "pool", "market"
# Names that no caller may take: those of the service's own forecasters, and what they may be mistaken for.
RESERVED = frozenset(
    {*KINDS, POOL, MARKET, "apex", "swarm", "consensus", "ninefold", "operator", "admin", "logit", "forest"}
)
# The names that callers may take: lower case, so that no two differ in it alone, and safe in addresses and pages.
NAMES = "[a-z0-9][a-z0-9_-]{1,30}[a-z0-9]"
MOST_LISTED = 500  # callers in the table


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

    The `rank` is by `opening.peer_pool`; equal ones share it, and a row with fewer than 30 markets there has none. `id`
    is the subject of a caller's rows in the ledger, null for the service's own; `engine` is that of a voter or the
    source of the outside market, null for the others.
    """


@dataclass(frozen=True)
class ForecastersDocument(Document):
    """The document of GET /api/v1/forecasters, ranked rows first; at most 500 callers are listed.

    `count` is the number of rows, `forecasters` that of all callers who gave a forecast: of many, the best looks good
    by luck alone.
    """

    count: int
    forecasters: int
    entries: tuple[ForecasterEntry, ...]


@dataclass(frozen=True)
class RevealedForecast:
    """A forecast of a settled market; `seq` is the row of the ledger that committed to it."""

    id: str
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
    own: Sequence[ForecasterEntry],
    header: DocumentHeader,
) -> ForecastersDocument:
    """The table from the name, the id and the record of each caller, and the number of all `forecasters`.

    `own` are the rows of the service's own, without ranks.
    """
    named = [caller_entry(name, id, record) for name, id, record in callers if record.time_weighted.n]
    ranked = _ranked([*named, *own])
    listed = {entry.id for entry in islice((entry for entry in ranked if entry.id), MOST_LISTED)}
    entries = tuple(entry for entry in ranked if entry.id is None or entry.id in listed)
    return ForecastersDocument(
        schema="forecasters/1", **vars(header), count=len(entries), forecasters=forecasters, entries=entries
    )


def caller_entry(name: str, id: str, record: ForecasterRecord, rank: int | None = None) -> ForecasterEntry:
    """The row of a caller."""
    return ForecasterEntry(**vars(record), rank=rank, name=name, kind="forecaster", engine=None, id=id)


def own_entries(counted: CountedMarkets, records: RecordsByName) -> list[ForecasterEntry]:
    """The rows of the service's own forecasters: each engine of a voter, the pool, and each outside market.

    They have no ranks yet; `records` has their simulated records.
    """
    markets = counted.markets
    sources = np.array([market.odds.source if market.odds else "" for market in markets.market], dtype=object)
    entries = [
        _own_entry("pool", POOL, None, p, counted, records)
        if engine == CONSENSUS
        else _own_entry("voter", *engine, p, counted, records)
        for engine, p in zip(markets.engines, markets.p.T, strict=True)
    ]
    entries += [
        _own_entry("market", MARKET, source, np.where(sources == source, markets.quoted, nan), counted, records)
        for source in sorted({*sources.tolist()} - {""})
    ]
    return [entry for entry in entries if entry.opening.n]


def _own_entry(
    kind: ForecasterKind, name: str, engine: str | None, p: Array, counted: CountedMarkets, records: RecordsByName
) -> ForecasterEntry:
    rows = np.flatnonzero(np.isfinite(p))
    record = constant_record(rows, p[rows], counted, records[kind, name, engine])
    return ForecasterEntry(**vars(record), rank=None, name=name, kind=kind, engine=engine, id=None)


def _ranked(entries: Iterable[ForecasterEntry]) -> list[ForecasterEntry]:
    """The entries with their ranks, ranked ones first, then those with most markets."""
    skills = sorted((_skill(entry) for entry in entries if entry.opening.n >= LEAST_N), reverse=True)
    ranked = [
        replace(entry, rank=1 + skills.index(_skill(entry)) if entry.opening.n >= LEAST_N else None)
        for entry in entries
    ]
    return sorted(ranked, key=lambda entry: (entry.rank or len(skills) + 1, -entry.time_weighted.n, entry.name))


def _skill(entry: ForecasterEntry) -> float:
    return entry.opening.peer_pool or 0.0
