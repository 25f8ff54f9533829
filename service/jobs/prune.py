"""Deletion of old rows: quota windows, answers kept for retries, finished slots."""

from __future__ import annotations

from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.market.instants import DAY
from service.store import idempotency, runs, windows

JOB_RUNS_KEPT_S = 7 * DAY


def prune(_job_context: JobContext, slot: int) -> Effects:
    """Delete the rows that have expired at the wall second `slot`."""

    def write(db: Connection) -> None:
        windows.prune(db, slot)
        idempotency.prune(db, slot)
        runs.prune(db, slot - JOB_RUNS_KEPT_S)

    return write
