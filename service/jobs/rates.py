"""The exchange rates of the world, for levels that are named in another currency."""

from __future__ import annotations

from service.jobs.job import Effects, JobContext
from service.market.instants import MINUTE
from service.store import snapshots

EVERY_S = 10 * MINUTE


def read_rates(job_context: JobContext, slot: int) -> Effects:
    """Store the rates of the feed; a currency whose sources fail keeps its last rate, which says its time."""
    fresh = job_context.feed.rates()
    with job_context.database.reading() as db:
        stored = snapshots.latest_rates(db)
    return lambda db: snapshots.save_rates(db, slot, {**stored, **fresh})
