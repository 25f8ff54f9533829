"""The scores of what was settled: streaks, the shadow book, the comparison with the outside market, forecasters."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection

from service.documents import DocumentHeader
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.predictions.scores.counted import counted_questions
from service.forecasting.predictions.scores.forecaster_record import ForecasterRecord, counted_markets, record_of
from service.forecasting.predictions.scores.forecasters import ForecastersDocument, forecasters_document
from service.forecasting.predictions.scores.luck import RecordsByName, SimulatedRecords
from service.forecasting.predictions.scores.streak_history import StreakHistory
from service.forecasting.predictions.scores.streaks import streaks_document
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.jobs.documents import header
from service.jobs.job import SEED, Effects, JobContext
from service.jobs.predict import odds_sources
from service.market.instants import HOUR
from service.store import forecasters, forecasts, sequences, snapshots

EVERY_S = HOUR


def score(job_context: JobContext, slot: int) -> Effects:
    """Publish every score of what was settled by `slot`."""
    head = header(job_context, slot, EVERY_S)
    priced = header(job_context, slot, EVERY_S, sources=odds_sources(job_context))
    with job_context.database.reading() as db:
        listed = job_context.listed_markets.load(db)
        table, records = _forecasters(db, listed, priced, job_context.simulated_records)
    # Streaks are of markets alone: a caller may open a challenge on what is certain to happen.
    questions = counted_questions(listed.where(~listed.is_challenge))
    history = StreakHistory(questions)
    documents = {
        "streaks": streaks_document(questions, head, job_context.simulated_records),
        "shadow": shadow_document(listed, priced),
        "ai-vs-market": ai_vs_market_document(listed, priced, np.random.default_rng(SEED)),
        "forecasters": table,
    }

    def write(db: Connection) -> None:
        snapshots.publish(db, slot, documents)
        sequences.keep(db, "streaks", history.times, history.question_at)
        for id, record in records.items():
            forecasters.keep_record(db, id, record, slot)

    return write


def _forecasters(
    db: Connection, listed: MarketColumns, header: DocumentHeader, records: RecordsByName
) -> tuple[ForecastersDocument, dict[str, ForecasterRecord]]:
    """The table of forecasters, and the records that are new, by id: only those with new scores are computed again."""
    counted, outdated = counted_markets(listed), forecasters.outdated(db)
    scores = forecasts.scores_of(db, outdated)
    new = {id: record_of(scores.get(id, {}), counted, SimulatedRecords(SEED)) for id in outdated}
    rows = ((row.name, row.id, new.get(row.id) or row.record) for row in forecasters.named(db))
    callers = [(name, id, record) for name, id, record in rows if record]
    return forecasters_document(callers, forecasters.count(db), counted, header, records), new
