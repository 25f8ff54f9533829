"""The monthly refit: current fits are kept, incomplete and outdated ones replaced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from service.forecasting.voters.fits import VERSION, Fits
from service.jobs import children
from service.jobs.forecast import refit
from service.jobs.schedules import Monthly
from service.market.instants import DAY
from service.store import knowledge
from service.store.database import Database
from service.store.plain import fits

MONTH = Monthly().slot_at(1_763_985_600)  # 2025-11-01T00:00:00Z
SLOT = MONTH + 10 * DAY


def fits_of(slot: int, version: str = VERSION, **missing: str) -> Fits:
    return Fits(version, slot, slot - DAY, {}, None, missing)


@pytest.fixture
def fitted_slots(monkeypatch) -> list[int]:
    """The slots that were fitted."""
    slots: list[int] = []

    def call(_fit: Callable, _hourly: dict, slot: int) -> Fits:
        slots.append(slot)
        return fits_of(slot)

    monkeypatch.setattr(children, "call", call)
    return slots


def run(database: Database, stored: Fits | None) -> Fits | None:
    """The newest fits after the job has run on a database with the stored ones."""
    with database.writing() as db:
        if stored:
            fits.save(db, stored.slot, stored.to_plain())
    with database.reading() as db:
        knowledge.newest_fits(database, db)
    job_context = SimpleNamespace(database=database, feed=SimpleNamespace(assets=()), history_from=0)
    effects = refit(job_context, SLOT)
    with database.writing() as db:
        effects(db)
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


@pytest.mark.parametrize("stored", [None, fits_of(MONTH - DAY), fits_of(MONTH, "fits/0")])
def test_missing_old_and_outdated_fits_are_replaced(database, fitted_slots, stored):
    assert run(database, stored) == fits_of(MONTH)
    assert fitted_slots == [MONTH]


def test_current_fits_are_kept(database, fitted_slots):
    assert run(database, fits_of(MONTH)) == fits_of(MONTH)
    assert fitted_slots == []


def test_a_month_with_too_little_history_is_fitted_until_now(database, monkeypatch):
    """Again at every slot, until all voters are fitted."""
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot: fits_of(slot, trend="short"))
    assert run(database, fits_of(SLOT - DAY, trend="short")) == fits_of(SLOT, trend="short")
