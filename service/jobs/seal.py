"""A signed root over the ledger, once a day."""

from __future__ import annotations

from service.jobs.job import Effects, Workshop
from service.market.instants import iso
from service.store import ledger
from service.store.secret import ledger_key


def seal(workshop: Workshop, slot: int) -> Effects:
    """Sign every row that was recorded until `slot`, unless this day has its root already."""
    key = ledger_key(workshop.settings)
    return lambda db: ledger.seal(db, iso(slot)[:10], key, slot)
