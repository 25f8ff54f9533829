"""The monthly refit: current fits are kept, incomplete and outdated ones replaced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from service.forecasting.densities.features import variance_tracks
from service.forecasting.densities.fitting import fit_calendars, least_history_h
from service.forecasting.densities.grid import hour_grid
from service.forecasting.voters.fits import VERSION, Fits
from service.jobs import children
from service.jobs.forecast import due_views, refit
from service.jobs.schedules import Monthly
from service.market.bars import empty
from service.market.instants import DAY, HOUR
from service.store import knowledge
from service.store.database import Database
from service.store.plain import fits
from tests.forecasting.made import made_bars

MONTH = Monthly().slot_at(1_763_985_600)  # 2025-11-01T00:00:00Z
SLOT = MONTH + 10 * DAY


def fits_of(slot: int, version: str = VERSION, **missing: str) -> Fits:
    return Fits(version, slot, slot - DAY, {}, None, missing)


@pytest.fixture
def fitted_slots(monkeypatch) -> list[int]:
    """The slots that were fitted."""
    slots: list[int] = []

    def call(_fit: Callable, _hourly: dict, slot: int, _news: dict) -> Fits:
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


@pytest.mark.parametrize("stored", [None, fits_of(MONTH - DAY), fits_of(MONTH, "fits/0"), fits_of(MONTH, "fits/1")])
def test_missing_old_and_outdated_fits_are_replaced(database, fitted_slots, stored):
    assert run(database, stored) == fits_of(MONTH)
    assert fitted_slots == [MONTH]


def test_current_fits_are_kept(database, fitted_slots):
    assert run(database, fits_of(MONTH)) == fits_of(MONTH)
    assert fitted_slots == []


def test_a_month_with_too_little_history_is_fitted_until_now(database, monkeypatch):
    """Again at every slot, until all voters are fitted."""
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: fits_of(slot, trend="short"))
    assert run(database, fits_of(SLOT - DAY, trend="short")) == fits_of(SLOT, trend="short")


def test_views_are_fitted_once_there_is_history_for_them():
    """A calendar of one asset, and one of two."""
    lone, pair = (least_history_h(assets) for assets in (1, 2))
    hourly = {"btc": made_bars("btc", lone // 24 + 1, 0), "gold": made_bars("gold", pair // 24 - 1, 1)}
    assert due_views({}, hourly) == ["always"]
    assert due_views({"always"}, hourly) == []
    assert due_views({"always"}, hourly | {"gold": empty(HOUR)}) == []


def test_that_history_is_enough_for_views():
    """Of one coin, and of the two metals, whose calendar is closed at weekends."""
    for assets in (("btc",), ("gold", "silver")):
        days = -(-least_history_h(len(assets)) // 24)
        grid = hour_grid({asset: made_bars(asset, days, seed) for seed, asset in enumerate(assets)})
        assert fit_calendars(grid, variance_tracks(grid), len(grid) - 1)
