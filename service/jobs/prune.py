"""Forgetting what nobody needs any more: old windows, kept answers to retries, finished slots."""

from __future__ import annotations

from sqlalchemy import Connection

from service.jobs.job import Effects, Workshop
from service.market.instants import DAY
from service.store import idempotency, runs, windows

LEDGER_KEPT_S = 7 * DAY


def prune(_workshop: Workshop, slot: int) -> Effects:
    """Delete rows that have served their time at the wall second `slot`."""

    def write(db: Connection) -> None:
        windows.prune(db, slot)
        idempotency.prune(db, slot)
        runs.prune(db, slot - LEDGER_KEPT_S)

    return write
