"""The exchange rates of the world, for levels that are named in another currency."""

from __future__ import annotations

from service.jobs.job import Effects, JobContext
from service.market.instants import MINUTE
from service.store import rates

EVERY_S = 10 * MINUTE


def read_rates(job_context: JobContext, slot: int) -> Effects:
    """Store the rates of the feed; a currency whose sources fail keeps its last rate, which says its time."""
    fresh = job_context.feed.rates()
    with job_context.database.reading() as db:
        stored = rates.latest(db)
    return lambda db: rates.save(db, slot, {**stored, **fresh})
