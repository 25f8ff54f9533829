"""Refunds of charges whose request ended without an answer and without a refund: its process died, or the database."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.store import reservations

EVERY_S = 60

log = structlog.stdlib.get_logger(__name__)


def is_wanted(db: Connection, _job_context: JobContext) -> bool:
    """Whether anything is reserved."""
    return reservations.count(db) > 0


def refund_expired(_job_context: JobContext, slot: int) -> Effects:
    """Refund the charges whose lease has ended at the wall second `slot`."""

    def write(db: Connection) -> None:
        if refunded := reservations.release_expired(db, slot):
            log.info("expired_charges_refunded", charges=refunded)

    return write
