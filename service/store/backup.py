"""A backup of the database while it is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from service.errors import InvalidRequest, ServiceUnavailable
from service.store.database import Database

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
        raise InvalidRequest(f"There is no folder {file.absolute().parent}.")
    try:
        file.touch(mode=0o600)
        with closing(database.engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(file),))
    except (OSError, sqlite3.Error) as error:
        file.unlink(missing_ok=True)
        raise ServiceUnavailable(f"The backup could not be written: {error}.") from error
