"""A backup of the database while it is in use, the database made from a backup, and a move to PostgreSQL."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.exc import DatabaseError

from service.config import Settings
from service.errors import InvalidRequest, ServiceUnavailable
from service.ledger.verifier import Verification, verify
from service.store import ledger, migrations, secret, world
from service.store.database import Database, database_name, opened, revision_at
from service.store.secret import secret_exists
from service.store.tables import metadata

POSTGRESQL_ADVICE = (
    "PostgreSQL has its own backup: pg_dump --format=custom --file=FILE DATABASE_URL, and pg_restore to restore it."
)


def backup(database: Database, file: Path) -> None:
    """Write a consistent copy of an SQLite database to `file`, which must not exist yet.

    VACUUM INTO reads one snapshot while writers continue; a plain copy of the file may be inconsistent. Raises
    InvalidRequest if a copy cannot be made there, ServiceUnavailable if writing fails.
    """
    if database.dialect != "sqlite":
        raise InvalidRequest(POSTGRESQL_ADVICE)
    if file.exists():
        raise InvalidRequest(f"{file} exists already; a backup does not overwrite files.")
    if not file.absolute().parent.is_dir():
        raise InvalidRequest(f"The folder {file.absolute().parent} does not exist.")
    try:
        file.touch(mode=0o600)
        with closing(sqlite3.connect(str(database.engine.url.database))) as connection:
            connection.execute("VACUUM INTO ?", (str(file),))
    except (OSError, sqlite3.Error) as error:
        file.unlink(missing_ok=True)
        raise ServiceUnavailable(f"The backup could not be written: {error}.") from error


def restore(file: Path, settings: Settings) -> tuple[Path, str, Verification]:
    """Make an SQLite database from a backup: that of the backup's world, whichever the settings name.

    Returns its path, its world, and the verification of its ledger. Before it becomes the database, its pages, its
    schema and its ledger are verified, and that it belongs to the secrets that are here. Raises InvalidRequest where it
    cannot be restored or a database exists.
    """
    if settings.database_url.startswith("postgresql"):
        raise InvalidRequest(POSTGRESQL_ADVICE)
    folder = _path(settings, "simulated").parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = folder / f".{file.name}.restoring"
    try:
        draft.touch(mode=0o600)
        shutil.copyfile(file, draft)
        with closing(Database(f"sqlite:///{draft}")) as database:
            restored_world, verification = _verified(database, settings)
        target = _path(settings, restored_world)
        for path in (target, *(target.with_name(target.name + part) for part in ("-wal", "-shm"))):
            if path.exists():
                raise InvalidRequest(f"{path} exists already: stop the service and move it away, with -wal and -shm.")
        draft.rename(target)
    except OSError as error:
        raise InvalidRequest(f"The backup cannot be restored: {error.strerror}.") from error
    except (DatabaseError, sqlite3.Error) as error:
        raise InvalidRequest(f"{file} is not an intact database: {getattr(error, 'orig', error)}.") from error
    finally:
        for part in ("", "-wal", "-shm"):
            draft.with_name(draft.name + part).unlink(missing_ok=True)
    return target, restored_world, verification


def _path(settings: Settings, world_name: str) -> Path:
    return Path(settings.in_world(world_name).database.removeprefix("sqlite:///"))


def _verified(database: Database, settings: Settings) -> tuple[str, Verification]:
    """The world of a backup, and the verification of its ledger."""
    if damage := database.check_pages("integrity_check"):
        raise InvalidRequest(f"The backup cannot be restored. {damage}")
    with database.writing() as db:
        revision = migrations.current(db)
        if revision not in migrations.revisions():
            raise InvalidRequest(f"The backup cannot be restored: its revision is {revision}.")
        migrations.upgrade(db)
        restored_world = world.find_clock(db).world
        verification = verify(ledger.export(db))
        if verification.fault:
            raise InvalidRequest(f"The ledger of the backup is not intact: {verification.fault}")
        for name in secret.VARIABLES:
            if secret_exists(settings, name):
                secret.verify_fingerprint(db, settings, name)
    return restored_world, verification


if TYPE_CHECKING:
    import psycopg

BATCH = 5_000  # rows


def move(source: Database, url: str) -> tuple[dict[str, int], Verification]:
    """Copy everything into the empty PostgreSQL database at `url`; it is empty again where anything fails.

    Returns the number of rows of each table, and the verification of the copied ledger. Nothing is written to the
    source meanwhile. Raises InvalidRequest where the target is in use, or where a table or the ledger is not the same
    afterwards.
    """
    if revision_at(url) is not None:
        raise InvalidRequest(f"{database_name(url)} is in use already: a move needs an empty database.")
    with closing(opened(url)) as target, source.writing() as old, target.writing() as new:
        for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
            new.execute(text(f"SET LOCAL {limit} = 0"))
        rows = {table.name: _copy(old, new, table) for table in metadata.sorted_tables}
        # New rows are numbered after the copied ones.
        new.execute(
            text(
                "SELECT setval(pg_get_serial_sequence('webhook_delivery', 'number'), max(number)) "
                "FROM webhook_delivery HAVING max(number) IS NOT NULL"
            )
        )
        verification = verify(ledger.export(new))
        head = ledger.head(old)
        if verification.fault or verification.head != (head.hash if head else None):
            raise InvalidRequest(f"The copied ledger is not the same: {verification.fault or 'it ends elsewhere'}.")
    return rows, verification


def _copy(old: Connection, new: Connection, table: Table) -> int:
    """Copy a table and return the number of its rows; raises InvalidRequest where fewer or more have arrived."""
    rows = old.execution_options(yield_per=BATCH).execute(select(table))
    connection = cast("psycopg.Connection", new.connection.driver_connection)
    names = ", ".join(table.c.keys())
    with connection.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row(row)
    before, after = (db.scalar(select(func.count()).select_from(table)) or 0 for db in (old, new))
    if before != after:
        raise InvalidRequest(f"Of the {before} rows of {table.name} {after} were copied.")
    return after
