"""A database of version 1.2 knows what it has: other worlds than the live one are not fetched again."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from service.config import SettingsError
from service.market.bars import from_rows
from service.store import bars, migrations
from service.store.database import Database
from tests.store.migrations.revisions import make_first

START = 1_763_985_600


@pytest.fixture
def earlier(database: Database) -> Database:
    """The database as version 1.2 left it: two bars of five minutes."""
    with database.writing() as db:
        bars.add_bars(db, "btc", from_rows([(START + 300 * place, 9, 9, 9, 9, 1) for place in range(2)], 300))
        make_first(db)
    return database


@pytest.mark.parametrize(("world", "windows"), [("simulated", ((START - 600, START + 600),)), ("live", None)])
def test_only_a_live_history_is_fetched_again(earlier, world, windows):
    """It may have holes from before; the others always had all of their bars."""
    with earlier.writing() as db:
        db.execute(
            text("INSERT INTO world VALUES (1, :world, 'x', 300, :since, 0, 0, 1.0, NULL)"),
            {"world": world, "since": START - 600},
        )
    try:
        earlier.migrate()
        with earlier.reading() as db:
            stored = bars.find_coverage(db, "btc", 300)
            assert (stored and stored.windows) == windows
    finally:
        with earlier.writing() as db:
            db.execute(text("DELETE FROM world"))


def test_a_database_of_an_older_version_says_the_way(database):
    """The steps before version 1.2 are no longer kept."""
    with database.writing() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '0011'"))
    try:
        with pytest.raises(SettingsError, match=r"revision 0011: start version 1\.2 once"):
            database.migrate()
    finally:
        with database.writing() as db:
            db.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": migrations.head()})
