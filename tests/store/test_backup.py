"""A backup of the database while it is in use, and the database made from a backup."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, text

from service import canonical
from service.config import Settings, SettingsError
from service.errors import InvalidRequest
from service.ledger.chain import LedgerRow
from service.market.instants import WorldClock, iso
from service.store import ledger, migrations, secret, world
from service.store.backup import backup, restore
from service.store.database import Database, revision_at
from service.store.tables import ledger as ledger_table
from tests.api.web import NOON
from tests.ledger.books import of_first_versions
from tests.store.test_migrations import make_first

ROWS = [LedgerRow("apex", "btc", {"n": n}, backfilled=False) for n in range(3)]
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
            ledger.append(db, ROWS, NOON)
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


def test_a_restored_database_is_the_same_under_the_same_secrets(backup_file: Path, settings: Settings, source):
    *_, verification = restore(backup_file, settings)
    assert (verification.fault, verification.rows) == (None, 3)
    with closing(Database(settings.database)) as copy, copy.reading() as db, source.reading() as original:
        assert list(ledger.export(db)) == list(ledger.export(original))


def test_a_backup_of_an_older_version_is_restored(source: Database, tmp_path: Path, settings: Settings):
    """It is migrated before its ledger is verified."""
    with source.writing() as db:
        db.execute(text("DROP TRIGGER ledger_delete"))
        db.execute(delete(ledger_table))
        for entry in of_first_versions(ROWS, iso(NOON)):
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
        ("UPDATE secret_fingerprint SET fingerprint = '0' WHERE name = 'key-secret'", "belongs to the key secret"),
    ],
)
def test_what_a_backup_must_be_is_checked_before_it_counts(source: Database, tmp_path: Path, settings, change, reason):
    with source.writing() as db:
        for statement in change.split(";"):
            db.execute(text(statement))
    backup(source, tmp_path / "kept")
    with pytest.raises((InvalidRequest, SettingsError), match=reason):
        restore(tmp_path / "kept", settings)
    assert not list(settings.data_dir.glob("*.sqlite*")) + list(settings.data_dir.glob(".*"))


@pytest.mark.parametrize(
    ("content", "reason"), [(os.urandom(1 << 16), "The database is damaged"), (None, "No such file or directory")]
)
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, settings: Settings, content, reason):
    if content:
        (tmp_path / "kept").write_bytes(content)
    with pytest.raises(InvalidRequest, match=reason):
        restore(tmp_path / "kept", settings)


def test_postgresql_is_backed_up_by_its_own_tools(tmp_path: Path):
    settings = Settings(world="simulated", data_dir=tmp_path, database_url=SERVER)
    with closing(Database(settings.database)) as database, pytest.raises(InvalidRequest, match="pg_dump"):
        backup(database, tmp_path / "kept")
    with pytest.raises(InvalidRequest, match="pg_restore"):
        restore(tmp_path / "kept", settings)
