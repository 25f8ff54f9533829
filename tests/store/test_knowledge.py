"""What a request reads: contexts beside the last prices, the newest fits, the track record."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from service.forecasting.densities.fits import VERSION, CalendarFit, Fits, ModelFit
from service.forecasting.densities.season import WEEK, Season
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, MINUTE
from service.store import bars, knowledge
from service.store.database import Database
from service.store.pages import RECORD, contexts, fits, records

STEP = 5 * MINUTE
NOON = 1_763_985_600  # Monday 2025-11-24T12:00:00Z
SIZES = ((0.0, 1.5, 2.5),)
FIT = CalendarFit(Season((1.0,) * WEEK), {"garch": ModelFit(("garch",), ((0.0, 0.9),), *(SIZES,) * 3)})
TRACK_RECORD = TrackRecord(NOON, {"day": BandRecord((Standing("news", "openai:x", 40, 5, 1.25, 0.01, -0.02, 0.04),))})


def context(asset: str = "btc", spot: float = 100.0, as_of: int = NOON) -> Context:
    return Context(asset, as_of, spot, 200.0, 1e-5, 2e-5, {"vol_ratio_180d": 0.1, "vol_ratio_12h": None}, {"eth": 0.8})


def fitted(slot: int = NOON, version: str = VERSION) -> Fits:
    return Fits(version, slot, {"always": FIT})


def observe(database, *observed: Context, price: float = 101.0, at: int = NOON) -> None:
    """Store contexts, and bars of their assets of which the last is complete ten minutes later."""
    rows = [(at - STEP, 99, 99, 99, 99, 1), (at + STEP, price, price, price, price, 1)]
    with database.writing() as db:
        for each in observed:
            contexts.save(db, each.asset, each.to_plain(), as_of=each.as_of)
            bars.add_bars(db, each.asset, from_rows(rows, STEP))


def refit(database, slot: int = NOON, version: str = VERSION) -> None:
    with database.writing() as db:
        fits.save(db, slot, fitted(slot, version).to_plain())


def newest_fits(database) -> Fits | None:
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


def test_at_the_beginning_nothing_is_known(database):
    assert knowledge.latest_knowledge(database, STEP) == Knowledge({}, None, TrackRecord())


def test_a_context_stands_beside_the_newest_price(database):
    """Its inputs are those of the last full hour; price and instant are those of the last bar."""
    observe(database, context(), context("eth", 50.0))
    latest = knowledge.latest_knowledge(database, STEP)
    assert latest.contexts["btc"] == replace(context(), spot=101.0, as_of=NOON + 2 * STEP)
    assert latest.spots == {"btc": 101.0, "eth": 101.0}


def test_an_old_context_keeps_its_own_price_and_age(database):
    """A fresh price must not hide that the inputs are no longer renewed."""
    observe(database, context(as_of=NOON - 7 * HOUR))
    assert knowledge.latest_knowledge(database, STEP).contexts["btc"] == context(as_of=NOON - 7 * HOUR)


def test_fits_and_record_are_those_stored_last(database):
    refit(database)
    with database.writing() as db:
        records.save(db, RECORD, TRACK_RECORD.to_plain(), as_of=NOON)
    latest = knowledge.latest_knowledge(database, STEP)
    assert latest.fits == fitted()
    assert latest.record == TRACK_RECORD


def test_newer_fits_are_used_as_soon_as_they_are_stored(database):
    """And older ones that come late are not."""
    refit(database)
    assert newest_fits(database).slot == NOON
    refit(database, NOON + DAY)
    assert newest_fits(database).slot == NOON + DAY
    refit(database, NOON - DAY)
    assert newest_fits(database).slot == NOON + DAY


def test_fits_are_read_once_while_they_are_the_newest(database):
    refit(database)
    assert newest_fits(database) is newest_fits(database)


@pytest.mark.parametrize("version", ["fits/0", ""])
def test_fits_of_another_version_are_ignored(database, version):
    refit(database, version=version)
    assert newest_fits(database) is None
    refit(database, NOON + HOUR)
    assert newest_fits(database) == fitted(NOON + HOUR)


def test_two_databases_have_fits_of_their_own(database, tmp_path, migrated_sqlite):
    """The cache of one database is not used for another."""
    other = Database(f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'other.sqlite')}")
    refit(database)
    with other.writing() as db:
        fits.save(db, NOON, replace(fitted(), calendars={}).to_plain())
    assert newest_fits(database).calendars == {"always": FIT}
    assert newest_fits(other).calendars == {}
    other.close()
