"""Looking a column up in many keys, on both databases."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError, DBAPIError

from service.config import SettingsError
from service.errors import ServiceUnavailable
from service.jobs.audit import audit
from service.store import predictions, world
from service.store.database import Database, DatabaseAway, fault_of, is_among, opened
from service.store.snapshots import save_snapshot
from service.store.tables import heartbeat as table
from service.store.tables import prediction, snapshot
from tests.forecasting.markets import waiting
from tests.jobs.contexts import context_of


def last_beat(db: Connection) -> int | None:
    return db.scalar(select(table.c.at))


def test_a_writing_block_is_committed_when_it_ends(database):
    with database.writing() as db:
        world.beat(db, 7)
    with database.reading() as db:
        assert last_beat(db) == 7


def test_a_writing_block_that_raises_leaves_nothing(database):
    def write_and_fail() -> None:
        with database.writing() as db:
            world.beat(db, 7)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    with database.reading() as db:
        assert last_beat(db) is None


def test_a_reader_sees_what_was_committed_since_it_was_opened(database):
    with database.reading() as db:
        assert last_beat(db) is None
        with database.writing() as other:
            world.beat(other, 7)
        assert last_beat(db) == 7


def test_a_reader_cannot_write(database):
    with database.reading() as db, pytest.raises(DBAPIError, match=r"read-?only"):
        world.beat(db, 7)


@pytest.fixture
def wreck(sqlite_url: str) -> Iterator[Database]:
    """A database with 20 KB of 0xff in the middle of its file."""
    with closing(Database(sqlite_url)) as database:
        for number in range(200):
            with database.writing() as db:
                save_snapshot(db, f"noise {number}", 0, os.urandom(4_096))
        assert database.check_pages() == ""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    with file.open("r+b") as pages:
        pages.seek(file.stat().st_size // 2)
        pages.write(b"\xff" * 20_480)
    with closing(Database(sqlite_url)) as database:
        yield database


@pytest.mark.parametrize("check", ["quick_check", "integrity_check"])
def test_damaged_pages_are_found_and_named(wreck: Database, check: str):
    assert wreck.check_pages(check).startswith("The database is damaged. ")
    assert wreck.damage == wreck.check_pages(check)


def test_the_audit_finds_damaged_pages(wreck: Database):
    """It compares nothing then; the process keeps what is damaged."""
    with pytest.raises(ServiceUnavailable, match="The database is damaged"):
        audit(context_of(wreck), 0)
    assert wreck.damage


def test_a_fault_is_named_by_its_code(wreck: Database):
    with wreck.reading() as db, pytest.raises(DatabaseError) as error:
        db.execute(select(snapshot)).all()
    assert fault_of(error.value) == "The database is damaged."
    assert fault_of(ValueError()) is None


def count_up_in_threads(database: Database) -> None:
    """Four threads, each of which adds 1 to the stored number 50 times; they begin at 0."""
    with database.writing() as db:
        world.beat(db, 0)

    def count_up() -> None:
        for _ in range(50):
            with database.writing() as db:
                db.execute(update(table).values(at=db.scalar(select(table.c.at)) + 1))

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_sqlite_loses_no_update_of_many_writers_that_read_first(sqlite_url):
    """With the transactions of the driver's default one in eight was lost."""
    database = Database(sqlite_url)
    count_up_in_threads(database)
    with database.reading() as db:
        assert last_beat(db) == 200
    database.close()


def test_writers_of_one_process_share_a_connection_to_sqlite(sqlite_url):
    """Threads that wait for SQLite's lock sleep and retry: eight callers of six models waited half a second for it."""
    database = Database(sqlite_url)
    count_up_in_threads(database)
    with database.reading() as db:
        assert database.connections(db) == {"active": 1, "idle": 1}
    database.close()


def test_sqlite_keeps_a_write_ahead_log_and_its_foreign_keys(sqlite_url):
    database = Database(sqlite_url)
    with database.engine.connect() as db:
        pragmas = {name: db.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous", "busy_timeout")}
        assert pragmas == {"journal_mode": "wal", "synchronous": 1, "busy_timeout": 10_000}
        assert db.scalar(text("PRAGMA foreign_keys")) == 1
        assert db.scalar(text("PRAGMA recursive_triggers")) == 1
    database.close()


def test_the_folder_of_a_new_sqlite_file_is_made(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/not/yet/there.sqlite")
    database.migrate()
    assert (tmp_path / "not/yet/there.sqlite").exists()
    database.close()


def test_a_statement_on_postgresql_has_a_timeout(postgresql_url):
    database = Database(postgresql_url)
    for open_connection in (database.reading, database.writing):
        with open_connection() as db:
            assert db.scalar(text("SHOW statement_timeout")) == "30s"
            assert db.scalar(text("SHOW lock_timeout")) == "10s"
    database.close()


def test_an_error_never_contains_the_values_of_a_statement(database):
    with database.reading() as db, pytest.raises(DBAPIError) as error:
        db.execute(text("SELECT nothing FROM nowhere WHERE secret = :secret"), {"secret": "nf_live_secret"})
    assert "nf_live_secret" not in str(error.value)


def test_a_file_that_is_no_database_is_refused_in_words(tmp_path):
    (tmp_path / "x.sqlite").write_text("no database at all")
    with pytest.raises(SettingsError, match=r"x\.sqlite cannot be used: file is not a database"):
        opened(f"sqlite:///{tmp_path / 'x.sqlite'}")


def test_a_folder_that_cannot_be_made_is_refused_in_words(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"The folder of the database .* cannot be used"):
        opened(f"sqlite:///{tmp_path / 'file' / 'x.sqlite'}")


def test_a_server_that_does_not_answer_is_away():
    """It may answer later, so this is not a fault of the settings."""
    with pytest.raises(DatabaseAway, match=r"127\.0\.0\.1/none cannot be used: .*refused") as refusal:
        opened("postgresql+psycopg://somebody:secret@127.0.0.1:1/none")
    assert "secret" not in str(refusal.value)


def test_a_database_of_a_newer_version_is_refused_in_words(sqlite_url):
    database = opened(sqlite_url)
    with database.writing() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(SettingsError, match="newer version"):
        opened(sqlite_url)


def test_only_the_owner_can_read_the_database(tmp_path):
    """It holds addresses and questions."""
    opened(f"sqlite:///{tmp_path / 'new' / 'x.sqlite'}").close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in (tmp_path / "new").iterdir())


IDS = ("plain", 'quo"ted', "brace{,}", "back\\slash", "ünïcode")


@pytest.fixture
def market_db(database: Database) -> Database:
    with database.writing() as db:
        predictions.add_predictions(db, [waiting(id) for id in IDS])
    return database


@pytest.mark.parametrize("keys", [IDS[:1], IDS[1:], IDS, ("absent",), ()])
def test_only_rows_of_the_keys_are_found(market_db: Database, keys: tuple[str, ...]):
    """A key may hold whatever an array or JSON gives a meaning to."""
    with market_db.reading() as db:
        ids = db.scalars(select(prediction.c.id).where(is_among(prediction.c.id, keys))).all()
    assert set(ids) == set(keys) & set(IDS)


def test_ten_thousand_keys_are_one_parameter(market_db: Database):
    keys = [*map(str, range(10_000)), "plain"]
    with market_db.reading() as db:
        assert db.scalars(select(prediction.c.id).where(is_among(prediction.c.id, keys))).all() == ["plain"]


def test_two_lookups_of_one_query_are_apart(market_db: Database):
    condition = is_among(prediction.c.id, IDS[:2]) & is_among(prediction.c.id, IDS[1:3])
    with market_db.reading() as db:
        assert db.scalars(select(prediction.c.id).where(condition)).all() == [IDS[1]]


def test_the_condition_of_sqlite_can_use_an_index():
    """It uses none for a condition that is compared with 1."""
    query = select(prediction.c.id).where(is_among(prediction.c.id, IDS))
    assert "= 1" not in str(query.compile(dialect=sqlite.dialect()))
