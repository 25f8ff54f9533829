"""The scores of what was settled: streaks, the shadow book, the comparison with the outside market, forecasters."""

from __future__ import annotations

from sqlalchemy import Connection

from service.documents import DocumentHeader
from service.forecasting.predictions.scores.forecasters import (
    ForecasterRecord,
    ForecastersDocument,
    forecasters_document,
    record_of,
)
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.jobs.predict import odds_sources
from service.jobs.score_memory import SEED, Scores
from service.market.instants import HOUR
from service.scores.luck import SimulatedRecords
from service.store import forecasts, pages, snapshots

EVERY_S = HOUR


def score(job_context: JobContext, slot: int) -> Effects:
    """Publish every score of what was settled by `slot`."""
    head = header(job_context, slot, EVERY_S)
    priced = header(job_context, slot, EVERY_S, sources=odds_sources(job_context))
    with job_context.database.reading() as db:
        scores = job_context.score_memory.read(db, head, priced)
        table, records = _forecasters(db, scores, priced)
    documents = {
        "streaks": scores.streaks,
        "shadow": scores.shadow,
        "ai-vs-market": scores.versus,
        "forecasters": table,
    }

    def write(db: Connection) -> None:
        snapshots.publish(db, slot, documents)
        pages.keep_sequence(db, "streaks", scores.history.times, scores.history.question_at)
        for id, record in records.items():
            forecasts.save_record(db, id, record, slot)

    return write


def _forecasters(
    db: Connection, scores: Scores, header: DocumentHeader
) -> tuple[ForecastersDocument, dict[str, ForecasterRecord]]:
    """The table of forecasters, and the records that are new, by id: only those with new scores are computed again."""
    outdated = forecasts.outdated_forecasters(db)
    of_outdated = forecasts.find_scores(db, outdated)
    new = {id: record_of(of_outdated.get(id, {}), scores.counted, SimulatedRecords(SEED)) for id in outdated}
    rows = ((row.name, row.id, new.get(row.id) or row.record) for row in forecasts.named_forecasters(db))
    callers = [(name, id, record) for name, id, record in rows if record]
    return forecasters_document(callers, forecasts.count_forecasters(db), scores.own, header), new
