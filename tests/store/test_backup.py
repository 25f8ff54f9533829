"""A backup of the database while it is in use, and the database made from a backup."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, insert, select, text

from service import canonical
from service.config import Settings
from service.errors import InvalidRequest
from service.ledger.chain import LedgerRow
from service.market.bars import from_rows
from service.market.instants import WorldClock, iso
from service.notifications.events import Attempt, Message
from service.operator.__main__ import main
from service.store import bars, ledger, migrations, notifications, secret, world
from service.store.backup import backup, restore
from service.store.database import Database, revision_at
from service.store.secret import KeySecrets, key_secret
from service.store.tables import ledger as ledger_table
from service.store.tables import metadata
from tests.api.web import NOON, Web
from tests.ledger.books import of_first_versions
from tests.store.test_migrations import make_first

SERVER = "postgresql://127.0.0.1:1/none"  # nothing listens there, and nothing has to


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of the installation that the backup is made in."""
    return Settings(world="simulated", data_dir=tmp_path / "first")


@pytest.fixture
def source(sqlite_url: str, settings: Settings) -> Database:
    """A database that a service of the simulated world has used."""
    with closing(Database(sqlite_url)) as database:
        with database.writing() as db:
            world.claim_world(db, fingerprint="abc", step=300, history_from=0, clock=WorldClock("simulated"), wall=NOON)
            ledger.append(db, [LedgerRow("apex", "btc", {"n": n}, backfilled=False) for n in range(3)], NOON)
            for name in secret.VARIABLES:
                secret.verify_fingerprint(db, settings, name)
        yield database


@pytest.fixture
def backup_file(source: Database, tmp_path: Path) -> Path:
    backup(source, tmp_path / "kept")
    return tmp_path / "kept"


def test_a_backup_is_the_committed_state_of_a_database_in_use(source: Database, tmp_path: Path):
    """A writer that has not committed neither stops the backup nor is in it."""
    with source.writing() as db:
        ledger.append(db, [LedgerRow("apex", "eth", {}, backfilled=False)], NOON)
        backup(source, tmp_path / "kept")
    with closing(Database(f"sqlite:///{tmp_path}/kept")) as copy, copy.reading() as db:
        assert set(db.scalars(select(ledger_table.c.subject))) == {"btc"}
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("name", "reason"), [("kept", "exists already"), ("none/kept", "does not exist")])
def test_a_backup_goes_to_a_new_file_of_a_folder(source: Database, backup_file: Path, name: str, reason: str):
    before = backup_file.read_bytes()
    with pytest.raises(InvalidRequest, match=reason):
        backup(source, backup_file.parent / name)
    assert backup_file.read_bytes() == before


def test_a_restored_database_is_the_same_under_the_same_secrets(
    backup_file: Path, settings: Settings, source: Database
):
    *_, verification = restore(backup_file, settings)
    assert (verification.fault, verification.rows) == (None, 3)
    with closing(Database(settings.database)) as copy, copy.reading() as db, source.reading() as original:
        assert list(ledger.export(db)) == list(ledger.export(original))


def test_a_backup_of_an_older_version_is_restored(source: Database, tmp_path: Path, settings: Settings):
    """It is migrated before its ledger is verified."""
    rows = [LedgerRow("apex", "btc", {"n": n}, backfilled=False) for n in range(3)]
    with source.writing() as db:
        db.execute(text("DROP TRIGGER ledger_delete"))
        db.execute(delete(ledger_table))
        for entry in of_first_versions(rows, iso(NOON)):
            values = vars(entry) | {"recorded_at": NOON, "body": canonical.write(entry.body)}
            db.execute(insert(ledger_table).values(values))
        make_first(db)
    backup(source, tmp_path / "kept")
    assert restore(tmp_path / "kept", settings)[-1].rows == 3
    assert revision_at(settings.database) == migrations.head()


@pytest.mark.parametrize("world_name", ["", "live", "simulated"])
def test_a_backup_knows_its_world(backup_file: Path, settings: Settings, world_name: str):
    """Also where the service was started once more in another world, or in none yet."""
    database, restored_world, _ = restore(backup_file, settings.model_copy(update={"world": world_name}))
    assert (database, restored_world) == (settings.data_dir / "simulated.sqlite", "simulated")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "its revision is 9999"),
        ("DROP TRIGGER ledger_update; UPDATE ledger SET recorded_at = 1 WHERE seq = 2", "ledger of the backup is not"),
    ],
)
def test_what_a_backup_must_be_is_checked_before_it_counts(source: Database, tmp_path: Path, settings, change, reason):
    with source.writing() as db:
        for statement in change.split(";"):
            db.execute(text(statement))
    backup(source, tmp_path / "kept")
    with pytest.raises(InvalidRequest, match=reason):
        restore(tmp_path / "kept", settings)
    assert not list(settings.data_dir.glob("*.sqlite*")) + list(settings.data_dir.glob(".*"))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path, settings: Settings):
    (tmp_path / "noise").write_bytes(os.urandom(1 << 16))
    with pytest.raises(InvalidRequest, match="The database is damaged"):
        restore(tmp_path / "noise", settings)


def test_postgresql_is_backed_up_by_its_own_tools(tmp_path: Path):
    with (
        closing(Database(Settings(database_url=SERVER).database)) as database,
        pytest.raises(InvalidRequest, match="pg_dump"),
    ):
        backup(database, tmp_path / "kept")
    with pytest.raises(InvalidRequest, match="pg_restore"):
        restore(tmp_path / "kept", Settings(world="simulated", data_dir=tmp_path, database_url=SERVER))


Operate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def operate(sqlite_url: str, tmp_path: Path, monkeypatch, capsys) -> Operate:
    """Run a command over the SQLite database."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("DATA_DIR", str(tmp_path))
        monkeypatch.setenv("DATABASE_URL", sqlite_url)
        code = main(words)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def web(sqlite_url: str, tmp_path: Path) -> Iterator[Web]:
    settings = Settings(data_dir=tmp_path)
    with closing(Database(sqlite_url)) as database:
        yield Web(database, settings, secret=key_secret(settings))


def counts(database: Database) -> dict[str, int]:
    with database.reading() as db:
        return {table.name: db.scalar(select(func.count()).select_from(table)) for table in metadata.sorted_tables}


def test_a_moved_service_has_the_same_rows_ledger_and_keys(operate: Operate, web: Web, empty_postgresql: str):
    """A key still works, the ledger and its root are the same, and new rows are numbered after the copied ones."""
    key = web.granted(plan="paid")
    with web.database.writing() as db:
        world.claim_world(db, fingerprint="abc", step=300, history_from=0, clock=WorldClock("simulated"), wall=NOON)
        ledger.append(db, [LedgerRow("apex", "btc", {"p": 0.1 + 0.2, "n": n}, n < 2) for n in range(5)], NOON)
        ledger.seal(db, "2026-11-21", b"a seed of thirty-two bytes......", NOON)
        bars.add_bars(db, "btc", from_rows([(NOON, 1.1, 1.3, 1e-9, 1.2, 0.0)], 300))
        hook = notifications.add_webhook(db, key.split("_")[2], "https://example.com/", ["odds"], [], 0, NOON)
        notifications.record_attempt(db, hook.id, attempt("one"))
        export = list(ledger.export(db))
    code, output, complaint = operate("move", empty_postgresql.replace("+psycopg", ""), "--json")
    assert code == 0, complaint
    target = Database(empty_postgresql)
    assert counts(target) == counts(web.database) == {row["table"]: row["rows"] for row in json.loads(output)["tables"]}
    with target.writing() as db:
        assert list(ledger.export(db)) == export
        assert notifications.record_attempt(db, hook.id, attempt("two")).number == 2
    client = replace(web, database=target, secrets=KeySecrets(web.secret))
    assert client.send("GET", "/api/v1/me", key=key).status_code == 200
    target.close()


def test_a_move_refuses_a_database_that_is_in_use(operate: Operate, web: Web, postgresql_url: str):
    code, _, complaint = operate("move", postgresql_url.replace("+psycopg", ""))
    assert code == 2
    assert "a move needs an empty database" in complaint


def test_a_move_that_fails_leaves_nothing_behind(operate: Operate, web: Web, empty_postgresql: str):
    """The ledger was tampered with: the copy would be worth nothing."""
    with web.database.writing() as db:
        ledger.append(db, [LedgerRow("apex", "btc", {}, backfilled=False)], NOON)
        db.exec_driver_sql("DROP TRIGGER ledger_update")
        db.exec_driver_sql("UPDATE ledger SET recorded_at = recorded_at + 1")
    code, _, complaint = operate("move", empty_postgresql.replace("+psycopg", ""))
    assert code == 2
    assert "The copied ledger is not the same" in complaint
    target = Database(empty_postgresql)
    assert set(counts(target).values()) == {0}
    target.close()


def attempt(id: str) -> Attempt:
    return Attempt(Message(id, None, "odds", "{}"), NOON, 5, 200, None)
