"""The daily signed root of the ledger."""

from __future__ import annotations

from service.jobs.job import Effects, JobContext
from service.market.instants import iso
from service.store import ledger
from service.store.secret import ledger_key


def seal(job_context: JobContext, slot: int) -> Effects:
    """Sign all rows recorded up to `slot`, unless this day already has a root."""
    key = ledger_key(job_context.settings)
    return lambda db: ledger.seal(db, iso(slot)[:10], key, slot)
