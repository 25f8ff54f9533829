"""Upkeep: the deletion of old rows, and refunds of charges whose request ended without an answer and without one."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.market.instants import DAY
from service.store import erasure, idempotency, lanes, opinions, reservations, runs, webhooks, windows
from service.store.plain import fits

JOB_RUNS_KEPT_S = 7 * DAY
DELIVERIES_KEPT_S = 30 * DAY
# The fits in use, and those before them, which a request may still be reading.
FITS_KEPT = 2


def prune(job_context: JobContext, slot: int) -> Effects:
    """Delete the rows that have expired at the wall second `slot`, and the fits that newer ones have replaced."""
    settings, now = job_context.settings, job_context.clock.at(slot)

    def write(db: Connection) -> None:
        windows.prune(db, slot)
        idempotency.prune(db, slot)
        runs.prune(db, slot - JOB_RUNS_KEPT_S)
        fits.keep_newest(db, FITS_KEPT)
        webhooks.prune(db, slot - DELIVERIES_KEPT_S)
        opinions.prune(db, now)
        lanes.thin(db, now - settings.lane_bars_kept_days * DAY)
        if settings.answers_kept_days:
            erasure.erase_answers(db, now - settings.answers_kept_days * DAY)

    return write


REFUND_EVERY_S = 60

log = structlog.stdlib.get_logger(__name__)


def has_reserved(db: Connection, _job_context: JobContext) -> bool:
    """Whether anything is reserved."""
    return reservations.count(db) > 0


def refund_expired(_job_context: JobContext, slot: int) -> Effects:
    """Refund the charges whose lease has ended at the wall second `slot`."""

    def write(db: Connection) -> None:
        if refunded := reservations.release_expired(db, slot):
            log.info("expired_charges_refunded", charges=refunded)

    return write
