"""The scores of what was settled, and the list of the open markets."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from service.documents import RecordHeader
from service.forecasting.predictions.documents import list_all, predictions_document
from service.forecasting.predictions.scores.forecasters import (
    ForecasterRecord,
    ForecastersDocument,
    forecasters_document,
    record_of,
)
from service.jobs import imported
from service.jobs.job import Effects, JobContext, header
from service.jobs.memory import Scores
from service.jobs.predict import odds_sources
from service.market.instants import HOUR, MINUTE
from service.store import forecasts, listings, predictions, snapshots
from service.store.listings import MarketSelection

EVERY_S = HOUR


def score(job_context: JobContext, slot: int) -> Effects:
    """Publish every score of what was settled by `slot`."""
    head = header(job_context, slot, EVERY_S)
    priced_header = header(job_context, slot, EVERY_S, sources=odds_sources(job_context))
    with job_context.database.snapshot() as db:
        scores = job_context.score_memory.read(db, head, priced_header)
        table, records = _forecasters(
            db, scores, RecordHeader(**vars(priced_header), ledger_seq=scores.versus.ledger_seq)
        )
    documents = {
        "streaks": scores.streaks,
        "shadow": scores.shadow,
        "ai-vs-market": scores.versus,
        "forecasters": table,
    }

    def write(db: Connection) -> None:
        snapshots.publish(db, slot, documents)
        for id, record in records.items():
            forecasts.save_record(db, id, record, slot)

    return write


def _forecasters(
    db: Connection, scores: Scores, header: RecordHeader
) -> tuple[ForecastersDocument, dict[str, ForecasterRecord]]:
    """The table of forecasters, and new records by id: of those with new scores, or all once entrants have doubled."""
    rows, entrants = forecasts.named_forecasters(db), scores.market_counts.entrants
    ids = {row.id for row in rows if row.record and row.record.entrants != entrants}
    ids.update(forecasts.outdated_forecasters(db))
    by_id = forecasts.find_scores(db, sorted(ids))
    new = {id: record_of(by_id.get(id, {}), scores.market_counts) for id in ids}
    callers = [(row.name, row.id, record) for row in rows if (record := new.get(row.id) or row.record)]
    return forecasters_document(callers, forecasts.count_forecasters(db), scores.entries, header), new


LISTED_EVERY_S = MINUTE
LISTING_LIMIT = 200


def has_markets(db: Connection, _job_context: JobContext) -> bool:
    return predictions.has_markets(db)


def list_markets(job_context: JobContext, slot: int) -> Effects:
    """Publish the markets that are open at the wall second `slot`, at most 200."""
    now = job_context.clock.at(slot)
    with job_context.database.reading() as db:
        markets, following = listings.market_page(db, MarketSelection(), now, LISTING_LIMIT)
        ids = [market.id for market in markets]
        tallies, opinions = listings.vote_tallies(db, ids), listings.latest_opinions(db, ids)
        by_asset, sources = snapshots.prices_by_asset(snapshots.latest_prices(db)), imported.sources(db)
    entries = list_all(markets, tallies=tallies, prices=by_asset, opinions=opinions, now=now)
    odds = {market.odds.source: f"odds ({market.odds.source})" for market in markets if market.odds}
    head = header(job_context, now, LISTED_EVERY_S, sources=odds | odds_sources(job_context) | sources)
    documents = {
        "predictions": predictions_document(entries, head, following),
        "markets": predictions_document([replace(entry, ai_votes={}) for entry in entries], head, following),
    }
    return lambda db: snapshots.publish(db, now, documents)
