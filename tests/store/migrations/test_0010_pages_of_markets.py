"""A database of revision 0007 learns the asset, the template and the divergence of its markets."""

from __future__ import annotations

import pytest
from alembic import command
from sqlalchemy import inspect, text

from service import canonical
from service.store import predictions
from service.store.database import Database
from tests.forecasting.markets import waiting
from tests.store.migrations.revisions import run

MARKET = waiting("weekly-eth", asset="eth", comparator="touch_below", p=0.6204, odds=(0.5, 0.51238, 0.53))
COLUMNS = ("id", "category", "rule", "resolver", "created_at", "closes_at", "deadline", "backfilled")


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, tmp_path) -> Database:
    """A database of revision 0007 with one market, its votes and its odds."""
    url = (
        f"sqlite:///{tmp_path}/old.sqlite" if request.param == "sqlite" else request.getfixturevalue("empty_postgresql")
    )
    database = Database(url)
    run(database, command.upgrade, "0009")
    commitment = {name: value for name, value in vars(MARKET.commitment).items() if name != "votes"}
    row = {name: getattr(MARKET, name) for name in COLUMNS} | {
        "question": canonical.write(MARKET.question.to_plain()),
        "voted_at": MARKET.voted_at,
        "commitment": canonical.write(commitment),
    }
    insert(database, "prediction", row)
    insert(database, "odds", {**vars(MARKET.odds), "prediction": MARKET.id})
    yield database
    database.close()


def insert(database: Database, table: str, row: dict[str, object]) -> None:
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    with database.writing() as db:
        db.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)


def selected(database: Database) -> tuple:
    with database.reading() as db:
        return tuple(db.execute(text("SELECT asset, template, divergence FROM prediction")).one())


def test_columns_are_filled_as_new_rows_are(old, sqlite_url):
    """The migration and the store give the same market the same values."""
    old.migrate()
    fresh = Database(sqlite_url)
    with fresh.writing() as db:
        predictions.add(db, [MARKET])
    assert selected(old) == selected(fresh) == ("eth", "touch_below", 10.76)
    fresh.close()


def test_the_market_reads_as_before(old):
    old.migrate()
    with old.reading() as db:
        assert predictions.find(db, MARKET.id) == MARKET


def test_the_migration_can_be_undone(old):
    old.migrate()
    run(old, command.downgrade, "0009")
    with old.reading() as db:
        assert not inspect(db).has_table("opinion")
        assert db.scalar(text("SELECT count(*) FROM prediction")) == 1
