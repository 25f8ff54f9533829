"""The audit: what the tables hold is compared with the rows of the ledger, and what follows from them with itself.

Whatever a row of the ledger says about a market, a challenge, an answer or a forecast is written again from the tables;
both must be equal. So a change of an outcome, a vote, a price or a text that was made beside the service is found, in
whichever table it was made. `service.store.facts` compares what rows hold as a whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from service import canonical
from service.forecasting.predictions import LedgerPosition, Prediction
from service.forecasting.predictions.commitments import (
    forecast_row,
    market_rows,
    question_row,
    reveal_row,
    withdrawn,
    without_texts,
)
from service.forecasting.predictions.open_markets import resolved
from service.forecasting.predictions.scores.market_forecasts import score_forecasts
from service.forecasting.voters.track_record import TrackRecord, build
from service.ledger import chain
from service.ledger.chain import ChainEntry, Kind, LedgerRow, with_iso_instants
from service.ledger.commitments import text_hash
from service.ledger.verifier import verify
from service.market.instants import DAY, iso
from service.store import forecasts, ledger, predictions, snapshots
from service.store.facts import HOSPITAL, FactsCheck, cut
from service.store.pages import RECORD, records
from service.store.tables import forecast, forecast_score, odds, prediction, prediction_vote, resolved_day

# Rows about a prediction, and rows about the forecast of a forecaster.
OF_PREDICTIONS: tuple[Kind, ...] = ("question", "votes", "odds", "resolution", "score", "answer")
OF_FORECASTS: tuple[Kind, ...] = ("forecast", "reveal")
NAME = "audit"  # of the stored result
FIRST = 20  # differences that are stored
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)  # a text that is no JSON, or JSON of another shape
SHOWN_LENGTH = 60  # characters of a value in a sentence


class Audit(NamedTuple):
    """The result of an audit at the wall second `at`: how many rows and differences, and the first of these."""

    at: int
    rows: int
    differences: int
    first: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if self.differences:
            return f"{self.differences:,} differences from the ledger at {iso(self.at)}, the first: {self.first[0]}"
        return f"the record agreed with all {self.rows:,} rows of the ledger at {iso(self.at)}"


def latest_audit(db: Connection) -> Audit | None:
    return snapshots.find_document(db, NAME, Audit)


def differences(db: Connection, certificates: bytes | None = None) -> Iterator[str]:
    """A sentence for each place where the tables and the ledger do not agree, and for a fault of the ledger itself.

    `certificates` are those of `verify`.
    """
    if fault := verify(ledger.export(db), certificates=certificates).fault:
        yield fault
    yield from table_differences(db)


def table_differences(db: Connection) -> Iterator[str]:
    """The same without the faults of the ledger itself."""
    try:
        yield from _differences(db)
    except UNREADABLE as error:
        yield f"A stored value cannot be read ({type(error).__name__}), and what follows it was not compared."


def _differences(db: Connection) -> Iterator[str]:
    taken_back, without_text = _corrections(db)
    rows: dict[Kind, set[str]] = defaultdict(set)
    names: dict[str, Any] = {}
    forecast_rows = set[int]()
    facts = FactsCheck(db)
    for entries in ledger.pages(db):
        standing = [entry for entry in entries if entry.seq not in taken_back]
        about = [entry for entry in standing if entry.kind in OF_PREDICTIONS]
        yield from _of_predictions(db, about, rows, without_text)
        yield from _of_forecasts(db, [entry for entry in standing if entry.kind in OF_FORECASTS])
        forecast_rows |= {entry.seq for entry in standing if entry.kind == "forecast"}
        names |= {entry.subject: entry.body.get("name") for entry in standing if entry.kind == "name"}
        for entry in standing:
            facts.add(entry)
    yield from facts.differences()
    yield from _without_rows(db, rows)
    for seq in sorted({*db.scalars(select(forecast.c.seq))} - forecast_rows):
        yield f"A forecast is stored as that of row {seq}, which is none of a forecast."
    yield from _of_names(db, names)
    yield from _of_documents(db)
    yield from _of_scores(db)


def standing_entries(db: Connection) -> Iterator[ChainEntry]:
    """Every row of the ledger that was not taken back."""
    taken_back, _ = _corrections(db)
    yield from (entry for entries in ledger.pages(db) for entry in entries if entry.seq not in taken_back)


def _corrections(db: Connection) -> tuple[set[int], set[str]]:
    """The rows that do not count because the world was taken back, and the predictions whose text was withdrawn."""
    taken_back, without_text = set[int](), set[str]()
    for entries in ledger.pages(db, kind="correction"):
        taken_back |= chain.taken_back(entries)
        without_text |= {entry.subject for entry in entries if "withdrawn" in entry.body}
    return taken_back, without_text


def _of_predictions(
    db: Connection, entries: Sequence[ChainEntry], rows: dict[Kind, set[str]], without_text: set[str]
) -> Iterator[str]:
    """Compare these rows with the predictions that they are about, and note them in `rows`."""
    subjects = sorted({entry.subject for entry in entries})
    by_id, unreadable = _read(db, subjects)
    yield from (f"{id}: what the tables hold of it cannot be read." for id in unreadable)
    rows_of = {id: (question_row(record), *market_rows([record])) for id, record in by_id.items()}
    expected = {id: {row.kind: row for row in record_rows} for id, record_rows in rows_of.items()}
    for id in predictions.unequal_columns(db, list(by_id.values())):
        yield f"{id}: a column that repeats another one differs from it."
    for entry in entries:
        rows[entry.kind].add(entry.subject)
        if entry.subject not in by_id:
            if entry.subject not in unreadable:
                yield f"Row {entry.seq} is about {entry.subject}, which is not stored."
            continue
        row = expected[entry.subject].get(entry.kind)
        if row and entry.subject in without_text:
            entry = replace(entry, body=without_texts(entry.body))
            row = replace(row, body=without_texts(row.body))
            if by_id[entry.subject] != withdrawn(by_id[entry.subject]):
                yield f"{entry.subject}: its text was withdrawn, the tables have another."
        yield from _compared(entry, row)
        position = by_id[entry.subject].ledger_position
        if entry.kind == "votes" and position != LedgerPosition(entry.seq, entry.hash):
            yield f"{entry.subject}: its place in the ledger is row {entry.seq}, not {position}."


def _read(db: Connection, ids: Sequence[str]) -> tuple[dict[str, Prediction], list[str]]:
    """The stored predictions of these ids, and the ids of those that cannot be read."""
    try:
        return {record.id: record for record in predictions.find_predictions(db, ids)}, []
    except UNREADABLE:
        if len(ids) == 1:
            return {}, [*ids]
    (records, faults), (others, further) = (_read(db, part) for part in (ids[: len(ids) // 2], ids[len(ids) // 2 :]))
    return records | others, faults + further


def _compared(entry: ChainEntry, row: LedgerRow | None) -> Iterator[str]:
    """What differs between a row of the ledger and the same row as the tables give it."""
    if row is None:
        yield f"{entry.subject}: row {entry.seq} has its {entry.kind}, which is not stored."
        return
    body: dict[str, Any] = canonical.read(canonical.write(with_iso_instants(row.body)))
    if row.backfilled != entry.backfilled:
        yield f"{entry.subject}: row {entry.seq} says backfilled {entry.backfilled}, the tables say {row.backfilled}."
    # Rows of earlier versions lack fields of later ones.
    for name, value in entry.body.items():
        if body.get(name) != value:
            yield (
                f"{entry.subject}: row {entry.seq} ({entry.kind}) says {name} {shown(value)}, "
                f"the tables say {shown(body.get(name))}."
            )


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    return cut(canonical.write(value), SHOWN_LENGTH)


def _without_rows(db: Connection, rows: dict[Kind, set[str]]) -> Iterator[str]:
    """Stored markets, challenges, votes, prices and outcomes that no row of the ledger is about."""
    columns = select(prediction.c.id, prediction.c.category, prediction.c.voted_at, prediction.c.outcome)
    with_odds = set(db.scalars(select(odds.c.prediction)))
    with_votes, recorded = set(db.scalars(select(prediction_vote.c.prediction))), rows["question"] | rows["votes"]
    for id, category, voted_at, outcome in map(tuple, db.execute(columns)):
        is_answer = category == "answer"
        if not is_answer and id not in recorded:
            yield f"{id} is stored, and no row of the ledger is about it."
        if not is_answer and (voted_at is not None or id in with_votes) and id not in rows["votes"]:
            yield f"{id} has votes, and no row of the ledger has them."
        if id in with_odds and id not in rows["odds"]:
            yield f"{id} has odds, and no row of the ledger has them."
        if outcome is not None and id not in rows["answer" if is_answer else "resolution"]:
            yield f"{id} has the outcome {outcome}, and no row of the ledger has it."


def _of_forecasts(db: Connection, entries: Sequence[ChainEntry]) -> Iterator[str]:
    """Compare the rows of forecasts with the forecasts that are stored."""
    seqs = [entry.seq if entry.kind == "forecast" else entry.body["forecast"] for entry in entries]
    by_seq = {row.seq: row for row in forecasts.find_forecasts(db, seqs)}
    for entry, seq in zip(entries, seqs, strict=True):
        row = by_seq.get(seq)
        if row is None:
            yield f"Row {entry.seq} is about a forecast that is not stored."
        elif entry.kind == "reveal":
            yield from _compared(entry, reveal_row(row))
        else:
            yield from _compared(entry, forecast_row(row.market, row.forecaster, row.p, row.salt))
        if row and row.forecaster != entry.subject:
            yield f"Row {entry.seq} is of the forecaster {entry.subject}, the tables say {row.forecaster}."
        if row and entry.kind == "forecast" and iso(row.at) != entry.recorded_at:
            yield f"Row {entry.seq} was recorded at {entry.recorded_at}, the tables say {iso(row.at)}."


def _of_names(db: Connection, hashes: Mapping[str, Any]) -> Iterator[str]:
    """Names of forecasters that are not those of their last row, of which these are the hashes."""
    for id, caller, name, salt, named_seq in forecasts.stored_names(db):
        expected = None if caller is None else hashes.get(id)  # one without a caller was forgotten
        # A forecaster that was named by an earlier version has no row.
        is_known = caller is None or named_seq or id in hashes
        if is_known and expected != (text_hash(name, salt or "") if name else None):
            yield f"The forecaster {id} has another name than its last row says."


def _of_documents(db: Connection) -> Iterator[str]:
    """Documents whose compressed bytes, or whose copy without a month, are not the text that is compared."""
    for name in snapshots.unequal_copies(db):
        yield f"{name}: its compressed bytes are not those of its text."
    months = [name for name in snapshots.names(db) if name.startswith(HOSPITAL)]
    latest = [snapshots.latest_snapshot(db, name) for name in (HOSPITAL.removesuffix("/"), *sorted(months)[-1:])]
    if len({snapshot and snapshot.body for snapshot in latest}) > 1:
        yield f"{HOSPITAL.removesuffix('/')} is not the document of its last month."


def _of_scores(db: Connection) -> Iterator[str]:
    """Scores that do not follow from what was resolved: the days of the track record, and those of forecasters."""
    for day, body in db.execute(select(resolved_day.c.day, resolved_day.c.body).order_by(resolved_day.c.day)):
        resolutions = predictions.settled_predictions(db, day, day + DAY)
        if body is not None and body != canonical.write([question.to_plain() for question in resolved(resolutions)]):
            yield f"The track record of {iso(day)[:10]} does not follow from what was resolved then."
    if (plain := records.find(db, RECORD)) and not predictions.outdated_days(db):  # else it is still to be renewed
        expected = build(predictions.resolved_questions(db), TrackRecord.from_plain(plain).as_of)
        if canonical.write(plain) != canonical.write(expected.to_plain()):
            yield "The track record does not follow from the days that it is made of."
    ids = {*db.scalars(select(forecast.c.prediction)), *db.scalars(select(forecast_score.c.prediction))}
    score_of = forecasts.find_scores(db, sorted(set(db.scalars(select(forecast_score.c.forecaster)))))
    for market in predictions.find_predictions(db, sorted(ids)):
        scores = score_forecasts(market, *forecasts.counted_forecasts(db, market.id))
        for id in sorted(scores.keys() | score_of.keys()):
            if scores.get(id) != score_of.get(id, {}).get(market.id):
                yield f"{market.id}: the score of the forecaster {id} does not follow from its forecasts."
