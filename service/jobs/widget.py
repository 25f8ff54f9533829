"""The document of a few numbers that other sites embed."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting.apex.call import Call
from service.forecasting.backfill import ASSET
from service.forecasting.news.pulse import asset_pulse
from service.forecasting.predictions.scores.versus import VersusBook
from service.forecasting.widget import widget_document
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.market.instants import DAY
from service.store import knowledge, snapshots
from service.store.pages import apex_calls

BOOKS = TypeAdapter(tuple[VersusBook, ...])


def is_wanted(db: Connection, _job_context: JobContext) -> bool:
    """Whether every document that it shows has been published."""
    return all(snapshots.latest_snapshot(db, name) for name in ("prices", "apex", "ai-vs-market"))


def show(job_context: JobContext, slot: int) -> Effects:
    """Publish bitcoin's price with the latest call of apex, news pulse and scores."""
    with job_context.database.reading() as db:
        costs, call, books = snapshots.prices_by_asset(snapshots.latest_prices(db)), apex_calls.latest(db), _books(db)
        mood = asset_pulse(ASSET, knowledge.headlines_since(db, slot - 2 * DAY), slot)
    if ASSET not in costs:
        return lambda _: None
    head = header(job_context, slot, job_context.feed.step)
    document = widget_document(costs[ASSET], call and Call.from_plain(call), mood, books, head)
    return lambda db: snapshots.publish(db, slot, {"widget": document})


def _books(db: Connection) -> tuple[VersusBook, ...]:
    snapshot = snapshots.latest_snapshot(db, "ai-vs-market")
    return BOOKS.validate_python(json.loads(snapshot.body)["books"]) if snapshot else ()
