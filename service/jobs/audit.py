"""The audit: the tables are compared with the ledger, and what was published with what follows from its rows alone.

Texts of strangers are not in the rows, and reasons are left out: no score depends on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from functools import partial
from types import MappingProxyType
from typing import Any

import structlog
from pydantic_core import from_json, to_json
from sqlalchemy import Connection

from service.documents import DocumentHeader, RecordHeader
from service.errors import ServiceUnavailable
from service.forecasting.predictions import Commitment, CommittedVote, LedgerPosition, Odds, Prediction, Settlement
from service.forecasting.predictions.commitments import TERMS
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import forecasters_document, record_of
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore, score_forecasts
from service.jobs.job import Effects, JobContext
from service.jobs.memory import compute
from service.jobs.processes import call_child
from service.ledger.chain import FIELDS, ChainEntry
from service.market.instants import unix
from service.questions import Question
from service.store import audit as audits
from service.store import forecasts, ledger, snapshots
from service.store.audit import FIRST, UNREADABLE, Audit
from service.store.database import Database
from service.store.forecasts import NamedForecaster

TIME_LIMIT_S = 3600  # the ledger of years
# The documents that follow from the ledger, as they are stored.
DOCUMENTS = ("streaks", "shadow", "ai-vs-market", "forecasters")

log = structlog.stdlib.get_logger(__name__)


def audit(job_context: JobContext, slot: int) -> Effects:
    """Store how the record and the ledger differ; ServiceUnavailable where pages of the database are damaged."""
    if damage := job_context.database.check_pages("integrity_check"):
        raise ServiceUnavailable(damage)
    settings = job_context.settings
    result = call_child(examine, settings.database, slot, settings.authorities, time_limit_s=TIME_LIMIT_S)
    if result.differences:
        log.error("audit_failed", differences=result.differences, first=result.first)
    return lambda db: snapshots.publish(db, result.at, {audits.NAME: result})


def examine(url: str, at: int, certificates: bytes | None = None) -> Audit:
    """Audit a database at the wall second `at`, its timestamps by these `certificates` as `verify` does."""
    with closing(Database(url)) as database, database.snapshot() as db:
        sentences = [*audits.differences(db, certificates), *stored_differences(db)]
        return Audit(at, ledger.last_seq(db), len(sentences), tuple(sentences[:FIRST]))


def stored_differences(db: Connection) -> Iterator[str]:
    """A sentence for each value of the stored documents, and of forecasters' records, that follows from no row."""
    bodies = (snapshots.latest_snapshot(db, name) for name in DOCUMENTS)
    try:
        documents = {snapshot.name: from_json(snapshot.body) for snapshot in bodies if snapshot}
        rows = forecasts.named_forecasters(db)
        records = {row.id: from_json(to_json(row.record)) for row in rows if row.record}
        yield from document_differences(partial(audits.standing_entries, db), documents, records)
        if "forecasters" in documents:
            yield from _of_table(db, rows, documents["forecasters"])
    except UNREADABLE as error:
        log.exception("audit_unreadable")
        yield f"A document or record cannot be read ({type(error).__name__}), and what follows it was not compared."


def _of_table(db: Connection, rows: Iterable[NamedForecaster], table: Mapping[str, Any]) -> Iterator[str]:
    """Forecasters whose name in the table of forecasters is not theirs, if they have it since before the table."""
    since = {entry.subject: entry.seq for entries in ledger.pages(db, kind="name") for entry in entries}
    names = {entry["id"]: entry["name"] for entry in table["entries"]}
    for row in rows:
        if names.get(row.id, row.name) != row.name and since.get(row.id, 0) <= table["ledger_seq"]:
            yield f"forecasters has another name for the forecaster {row.id} than its last row."


def document_differences(
    read: Callable[[], Iterable[ChainEntry]],
    documents: Mapping[str, Mapping[str, Any]],
    records: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Iterator[str]:
    """A sentence for each value of these documents that does not follow from the rows of the ledger.

    `documents` are those of DOCUMENTS that there are; `read` gives the rows that count, which go at least as far.
    `records` are those of forecasters, by id, as they are stored beside the table of forecasters.
    """
    by_seq: dict[int, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for name, document in documents.items():
        if isinstance(seq := document.get("ledger_seq"), int):
            by_seq[seq][name] = document
        else:
            yield f"{name} does not say which rows of the ledger it follows from."
    for until, group in by_seq.items():
        yield from _of_group(RecordedPredictions(entry for entry in read() if entry.seq <= until), group, records)


def _of_group(
    record: RecordedPredictions, documents: Mapping[str, Mapping[str, Any]], records: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """The same of documents that follow from the same rows."""
    markets = {market.id: market for market in record.predictions()}
    heads = {name: _header(document) for name, document in documents.items()}
    head = next(iter(heads.values()))
    by_forecaster = record.scores(markets)
    callers = record.count_entrants(by_forecaster)
    scores = compute(columns_of(markets.values()), head, head, callers)
    expected: dict[str, Any] = {"streaks": scores.streaks, "shadow": scores.shadow, "ai-vs-market": scores.versus}
    if table := documents.get("forecasters"):
        rows = [
            (entry["name"], entry["id"], record_of(by_forecaster.get(entry["id"], {}), scores.market_counts))
            for entry in table["entries"]
            if entry["id"]
        ]
        expected["forecasters"] = forecasters_document(rows, table["forecasters"], scores.entries, head)
        for id, stored in records.items():
            plain = from_json(to_json(record_of(by_forecaster.get(id, {}), scores.market_counts)))
            yield from (f"The record of the forecaster {id}{sentence}" for sentence in _unequal(stored, plain))
    for name, document in documents.items():
        plain = from_json(to_json(expected[name])) | from_json(to_json(heads[name]))
        yield from (f"{name}{sentence}" for sentence in _unequal(document, plain))


def _header(document: Mapping[str, Any]) -> RecordHeader:
    fields = {name: document[name] for name in DocumentHeader.__dataclass_fields__}
    return RecordHeader(**fields, ledger_seq=document["ledger_seq"])


def _unequal(value: Any, expected: Any) -> Iterator[str]:
    """Where two JSON values differ, and how; a text that is not in the ledger is equal to every other."""
    if isinstance(value, dict) and isinstance(expected, dict) and value.keys() == expected.keys():
        for name in value:
            yield from (f".{name}{sentence}" for sentence in _unequal(value[name], expected[name]))
    elif isinstance(value, list) and isinstance(expected, list) and len(value) == len(expected):
        for place, (item, other) in enumerate(zip(value, expected, strict=True)):
            yield from (f"[{place}]{sentence}" for sentence in _unequal(item, other))
    elif value != expected and expected != HIDDEN:
        yield f" is {audits.shown(value)}, the ledger gives {audits.shown(expected)}."


HIDDEN = "(not in the ledger)"
_ABSENT = {"p_up": None, "fallback": False, "prompt": None, "tokens": None, "usd": None}
_COMMITMENT_FIELDS = [field.name for field in fields(Commitment) if field.name not in ("votes", "inputs", "p_up")]


class RecordedPredictions:
    """What the rows added so far say; those of a world that was taken back must not be added."""

    def __init__(self, entries: Iterable[ChainEntry]) -> None:
        self._by_id: dict[str, dict[str, Any]] = defaultdict(dict)
        self._named_since: dict[str, int] = {}
        self._forecast_at: dict[int, int] = {}
        self._forecasts: list[MarketForecast] = []
        for entry in entries:
            self._add(entry)

    def predictions(self) -> list[Prediction]:
        """Every market and challenge."""
        return [Prediction(**record) for record in self._by_id.values() if "question" in record]

    def scores(self, markets: Mapping[str, Prediction]) -> dict[str, dict[str, MarketForecastScore]]:
        """The scores of each forecaster by market, from the forecasts that it gave after it took its first name."""
        by_market: dict[str, dict[str, list[MarketForecast]]] = defaultdict(lambda: defaultdict(list))
        for forecast in sorted(self._forecasts, key=lambda forecast: forecast.seq):
            if forecast.seq > self._named_since.get(forecast.forecaster, 0):
                by_market[forecast.market][forecast.forecaster].append(forecast)
        scores: dict[str, dict[str, MarketForecastScore]] = defaultdict(dict)
        for market_id, parts in by_market.items():
            for id, score in score_forecasts(markets[market_id], parts, self._named_since.keys()).items():
                scores[id][market_id] = score
        return scores

    def count_entrants(self, scores: Mapping[str, Mapping[str, MarketForecastScore]]) -> int:
        """The number of forecasters that took a name and have a score."""
        return len(scores.keys() & self._named_since.keys())

    def _add(self, entry: ChainEntry) -> None:
        body, record = {name: _unix(name, value) for name, value in entry.body.items()}, self._by_id[entry.subject]
        if entry.kind in ("question", "votes"):
            record |= {"id": entry.subject, "backfilled": entry.backfilled, "question": _question(body["question"])}
            record |= {name: HIDDEN if isinstance(body[name], dict) else body[name] for name in TERMS}
        if entry.kind == "votes":
            record["commitment"] = _commitment(body)
            record["ledger_position"] = LedgerPosition(entry.seq, entry.hash)
        elif entry.kind == "odds":
            record["odds"] = Odds(**{**body, "url": None})
        elif entry.kind == "resolution":
            record["settlement"] = Settlement(**body)
        elif entry.kind == "name":
            # A backfilled one is of a forecaster that had a name before names were rows.
            self._named_since.setdefault(entry.subject, 0 if entry.backfilled else entry.seq)
        elif entry.kind == "forecast":
            self._forecast_at[entry.seq] = unix(entry.recorded_at)
        elif entry.kind == "reveal":
            seq = body["forecast"]
            if (at := self._forecast_at.get(seq)) is not None:  # else the ledger itself has a fault
                forecast = (seq, body["market"], entry.subject, at, body["p_yes"], body["salt"])
                self._forecasts.append(MarketForecast(*forecast))


def _unix(name: str, value: Any) -> Any:
    return unix(value) if name in FIELDS and isinstance(value, str) else value


def _question(plain: Mapping[str, Any]) -> Question:
    texts = {name: HIDDEN for name in ("text", "canonical") if isinstance(plain[name], dict)}
    return Question.from_plain({**plain, **texts, "notes": (), "deadline": _unix("deadline", plain["deadline"])})


def _commitment(body: Mapping[str, Any]) -> Commitment:
    votes = tuple(CommittedVote.from_plain(_ABSENT | vote | {"reasoning": ""}) for vote in body["votes"])
    values: dict[str, Any] = {name: body.get(name) for name in _COMMITMENT_FIELDS}
    return Commitment(**values, votes=votes, p_up=body.get("p_up"))
