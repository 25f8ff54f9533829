"""The daily deletion of rows that have expired."""

from __future__ import annotations

from types import SimpleNamespace

from sqlalchemy import func, select

from service.jobs.prune import prune
from service.market.instants import DAY
from service.store import windows
from service.store.plain import fits
from service.store.tables import metadata

NOW = 1_800_000_000


def test_windows_that_have_ended_are_deleted(sqlite_database):
    with sqlite_database.writing() as db:
        windows.take(db, "ended", NOW - 1)
        windows.take(db, "open", NOW + DAY)
        prune(SimpleNamespace(), NOW)(db)
        table = next(table for name, table in metadata.tables.items() if "window" in name)
        assert db.scalar(select(func.count()).select_from(table)) == 1
        assert windows.read(db, "open", NOW).hits == 1


def test_replaced_fits_are_deleted(sqlite_database):
    """Those in use are kept however old they are, with those before them, which a request may still be reading."""
    with sqlite_database.writing() as db:
        for slot in range(5):
            fits.save(db, slot, {"slot": slot})
        prune(SimpleNamespace(), NOW)(db)
        assert list(fits.every(db)) == [3, 4]
