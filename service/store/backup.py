"""A backup of the database while it is in use, and the database made from a backup."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from service.config import Settings
from service.errors import InvalidRequest, ServiceUnavailable
from service.ledger.verifier import Verification, verify
from service.store import fingerprints, ledger, migrations, world
from service.store.database import Database
from service.store.secret import exists

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


def restore(file: Path, settings: Settings) -> Verification:
    """Make the SQLite database of the settings from a backup, and return the verification of its ledger.

    The backup is verified before it becomes the database: its pages, its schema, its world, its ledger, and that it
    belongs to the secrets that are here. Raises InvalidRequest where it cannot be restored or a database exists.
    """
    if not settings.database.startswith("sqlite"):
        raise InvalidRequest(POSTGRESQL_ADVICE)
    target = Path(settings.database.removeprefix("sqlite:///"))
    for path in (target, *(target.with_name(target.name + part) for part in ("-wal", "-shm"))):
        if path.exists():
            raise InvalidRequest(f"{path} exists already: stop the service and move it away, with -wal and -shm.")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.restoring")
    try:
        draft.touch(mode=0o600)
        shutil.copyfile(file, draft)
        with closing(Database(f"sqlite:///{draft}")) as database:
            verification = _verified(database, settings)
        draft.rename(target)
    except OSError as error:
        raise InvalidRequest(f"The backup cannot be restored: {error.strerror}.") from error
    except (DatabaseError, sqlite3.Error) as error:
        raise InvalidRequest(f"{file} is not an intact database: {getattr(error, 'orig', error)}.") from error
    finally:
        for part in ("", "-wal", "-shm"):
            draft.with_name(draft.name + part).unlink(missing_ok=True)
    return verification


def _verified(database: Database, settings: Settings) -> Verification:
    with database.writing() as db:
        pages = list(db.exec_driver_sql("PRAGMA integrity_check").scalars())
        revision = migrations.current(db)
        if pages != ["ok"] or revision is None or revision > migrations.head():
            fault = f"its pages are damaged ({pages[0]})" if pages != ["ok"] else f"its revision is {revision}"
            raise InvalidRequest(f"The backup cannot be restored: {fault}.")
        if (name := world.find_clock(db).world) != settings.world:
            raise InvalidRequest(f"The backup is of the {name} world: set WORLD={name}.")
        verification = verify(ledger.export(db))
        if verification.fault:
            raise InvalidRequest(f"The ledger of the backup is not intact: {verification.fault}")
        for secret in fingerprints.VARIABLES if revision >= fingerprints.SINCE else ():
            if exists(settings, secret):
                fingerprints.verify(db, settings, secret)
    return verification
