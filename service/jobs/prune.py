"""Upkeep: the deletion of old rows, and refunds of charges whose request ended without an answer and without one."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.market.instants import DAY
from service.store import answers, idempotency, lanes, listings, notifications, quotas, runs
from service.store.pages import fits

JOB_RUNS_KEPT_S = 7 * DAY
DELIVERIES_KEPT_S = 30 * DAY
# The fits in use, and those before them, which a request may still be reading.
FITS_LIMIT = 2


def prune(job_context: JobContext, slot: int) -> Effects:
    """Delete the rows that have expired at the wall second `slot`, and the fits that newer ones have replaced."""
    settings, now = job_context.settings, job_context.clock.at(slot)

    def write(db: Connection) -> None:
        quotas.prune_windows(db, slot)
        idempotency.prune(db, slot)
        runs.prune(db, slot - JOB_RUNS_KEPT_S)
        fits.keep_newest(db, FITS_LIMIT)
        notifications.prune_deliveries(db, slot - DELIVERIES_KEPT_S)
        listings.prune_opinions(db, now)
        lanes.thin_lane_bars(db, now - settings.lane_bars_kept_days * DAY)
        if settings.answers_kept_days:
            answers.erase_answers(db, now - settings.answers_kept_days * DAY)

    return write


REFUND_EVERY_S = 60

log = structlog.stdlib.get_logger(__name__)


def refund_expired(_job_context: JobContext, slot: int) -> Effects:
    """Refund the charges whose lease has ended at the wall second `slot`."""

    def write(db: Connection) -> None:
        if count := quotas.release_expired(db, slot):
            log.info("expired_charges_refunded", charges=count)

    return write
