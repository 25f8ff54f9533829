"""The daily audit: in a child process, because it reads the whole ledger."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.jobs.processes import call_child
from service.store import audit as audits
from service.store import ledger

TIME_LIMIT_S = 3600  # the ledger of years

log = structlog.stdlib.get_logger(__name__)


def has_sealed_days(db: Connection, _job_context: JobContext) -> bool:
    """Whether a day was sealed after the first one: a first start has other things to do."""
    return ledger.count_roots(db) > 1


def audit(job_context: JobContext, slot: int) -> Effects:
    """Compare the tables with the ledger, and store what was found at the wall second `slot`."""
    result = call_child(audits.run, job_context.settings.database, slot, time_limit_s=TIME_LIMIT_S)
    if result.differences:
        log.error("audit_failed", differences=result.differences, first=result.first)
    return lambda db: audits.save_audit(db, result)
