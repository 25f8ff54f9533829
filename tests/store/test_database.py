"""A database: its transactions, faults and pages, looking many keys up, and the world that it belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError, DBAPIError

from service.config import SettingsError
from service.errors import ServiceUnavailable, WrongWorld
from service.jobs.audit import audit
from service.market.instants import WorldClock
from service.store import predictions, world
from service.store.database import Database, DatabaseAway, fault_of, is_among, opened
from service.store.snapshots import publish
from service.store.tables import heartbeat as table
from service.store.tables import prediction, snapshot
from tests.forecasting.markets import waiting
from tests.jobs.contexts import context_of

IDS = ("plain", 'quo"ted', "brace{,}", "back\\slash", "ünïcode")


def last_beat(db: Connection) -> int | None:
    return db.scalar(select(table.c.at))


def test_a_writing_block_is_committed_when_it_ends(database):
    """One that raises leaves nothing; a reader sees what was committed since it was opened, and cannot write."""
    with suppress(RuntimeError), database.writing() as db:
        world.beat(db, 5)
        raise RuntimeError
    with database.reading() as db:
        assert last_beat(db) is None
        with database.writing() as other:
            world.beat(other, 7)
        assert last_beat(db) == 7
    with database.reading() as db, pytest.raises(DBAPIError, match=r"read-?only"):
        world.beat(db, 9)


@pytest.fixture
def wreck(sqlite_url: str) -> Iterator[Database]:
    """A database with 20 KB of 0xff in the middle of its file."""
    with closing(Database(sqlite_url)) as database:
        for number in range(200):
            with database.writing() as db:
                publish(db, 0, {f"noise {number}": os.urandom(4_096)})
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


def test_sqlite_loses_no_update_of_many_writers_that_read_first(sqlite_database):
    """With the transactions of the driver's default one in eight was lost.

    Threads share a connection: those that wait for SQLite's lock sleep and retry, half a second for eight callers.
    """
    with sqlite_database.writing() as db:
        world.beat(db, 0)

    def count_up(_number: int) -> None:
        for _ in range(50):
            with sqlite_database.writing() as db:
                db.execute(update(table).values(at=last_beat(db) + 1))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count_up, range(4)))
    with sqlite_database.reading() as db:
        assert last_beat(db) == 200
        assert sqlite_database.connections(db) == {"active": 1, "idle": 1}


def test_sqlite_keeps_a_write_ahead_log_and_its_foreign_keys(sqlite_database):
    pragmas = {"journal_mode": "wal", "synchronous": 1, "busy_timeout": 10_000}
    pragmas |= {"foreign_keys": 1, "recursive_triggers": 1}
    with sqlite_database.engine.connect() as db:
        assert {name: db.scalar(text(f"PRAGMA {name}")) for name in pragmas} == pragmas


def test_only_the_owner_can_read_the_database(tmp_path):
    """It holds addresses and questions. Its folder is made."""
    folder = tmp_path / "new" / "folder"
    opened(f"sqlite:///{folder}/x.sqlite").close()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


def test_a_statement_on_postgresql_has_a_timeout(postgresql_url):
    with closing(Database(postgresql_url)) as database:
        for open_connection in (database.reading, database.writing):
            with open_connection() as db:
                limits = [db.scalar(text(f"SHOW {name}_timeout")) for name in ("statement", "lock")]
                assert limits == ["30s", "10s"]


def test_an_error_never_contains_the_values_of_a_statement(database):
    with database.reading() as db, pytest.raises(DBAPIError) as error:
        db.execute(text("SELECT nothing FROM nowhere WHERE secret = :secret"), {"secret": "nf_live_secret"})
    assert "nf_live_secret" not in str(error.value)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("file", "file cannot be used: file is not a database"),
        ("file/x", "The folder of the database .* cannot be used"),
    ],
)
def test_a_file_that_is_no_database_is_refused_in_words(tmp_path, path: str, words: str):
    """And a folder that cannot be made."""
    (tmp_path / "file").write_text("no database at all")
    with pytest.raises(SettingsError, match=words):
        opened(f"sqlite:///{tmp_path / path}")


def test_a_server_that_does_not_answer_is_away():
    """It may answer later, so this is not a fault of the settings."""
    with pytest.raises(DatabaseAway, match=r"127\.0\.0\.1/none cannot be used: .*refused") as refusal:
        opened("postgresql+psycopg://somebody:secret@127.0.0.1:1/none")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("revision", "words"), [("9999", "newer version"), ("0011", r"revision 0011: start version 1\.2 once")]
)
def test_a_database_of_another_version_is_refused_in_words(empty_url, revision: str, words: str):
    """The steps before version 1.2 are no longer kept."""
    with closing(opened(empty_url)) as database, database.writing() as db:
        db.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    with pytest.raises(SettingsError, match=words):
        opened(empty_url)


@pytest.fixture
def market_db(db: Connection) -> Connection:
    predictions.add_predictions(db, [waiting(id) for id in IDS])
    return db


@pytest.mark.parametrize("keys", [IDS[:1], IDS[1:], IDS, ("absent",), (), (*map(str, range(10_000)), "plain")])
def test_only_rows_of_the_keys_are_found(market_db: Connection, keys: tuple[str, ...]):
    """A key may hold whatever an array or JSON gives a meaning to; two lookups of one query are apart."""
    ids = market_db.scalars(select(prediction.c.id).where(is_among(prediction.c.id, keys)))
    assert set(ids) == set(keys) & set(IDS)
    condition = is_among(prediction.c.id, IDS[:2]) & is_among(prediction.c.id, IDS[1:3])
    assert market_db.scalars(select(prediction.c.id).where(condition)).all() == [IDS[1]]


def test_the_condition_of_sqlite_can_use_an_index():
    """It uses none for a condition that is compared with 1."""
    query = select(prediction.c.id).where(is_among(prediction.c.id, IDS))
    assert "= 1" not in str(query.compile(dialect=sqlite.dialect()))


WALL, WORLD, END = 2_000_000_000, 5_000_000, 9_000_000


def clock_at(wall: int, speed: float = 60.0) -> WorldClock:
    """The clock of a replay that starts at a wall second."""
    return WorldClock("replay", world_origin=WORLD, wall_origin=wall, speed=speed, ends=END)


REPLAY = {"fingerprint": "abc", "step": 3600, "history_from": 1_000_000, "clock": clock_at(WALL)}


def claim(db: Connection, wall: float = WALL, **changes) -> world.StoredWorld:
    return world.claim_world(db, wall=wall, **(REPLAY | changes))


def test_a_later_start_keeps_the_first_clock_and_history(db):
    """The first start stores the world of the feed."""
    first = claim(db)
    assert first == world.StoredWorld(clock_at(WALL), 3600, 1_000_000)
    assert claim(db, WALL + 500_000, clock=clock_at(WALL + 500_000), history_from=1_700_000) == first


def test_another_speed_continues_from_the_present_instant(db):
    claim(db)
    faster = clock_at(WALL + 100, speed=600.0)
    clock = claim(db, WALL + 100.7, clock=faster).clock
    assert clock.at(WALL + 100) == WORLD + 100 * 60
    assert clock.at(WALL + 110) == WORLD + 100 * 60 + 10 * 600
    assert clock.ends == END
    assert claim(db, WALL + 200, clock=faster).clock == clock


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fingerprint": "xyz"}, "'xyz'"),
        ({"step": 300}, "300 s"),
        ({"clock": WorldClock("simulated")}, "the simulated world"),
    ],
)
def test_another_world_is_refused_with_advice(db, changes, words):
    claim(db)
    with pytest.raises(WrongWorld) as error:
        claim(db, **changes)
    assert "the replay world 'abc' in bars of 3600 s" in error.value.detail
    assert words in error.value.detail
    assert "use another DATA_DIR or DATABASE_URL" in error.value.detail


def test_only_the_last_beat_is_stored(db):
    for at in (10, 12):
        world.beat(db, at)
    assert db.scalars(select(table.c.at)).all() == [12]
