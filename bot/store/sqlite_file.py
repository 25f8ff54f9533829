"""The store's database file: SQLite with a write-ahead log, readable by its owner only, migrated when it is opened.

All threads share one connection under a lock. Another process may use the same file: every transaction takes SQLite's
write lock when it begins and waits up to WAIT_S for it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

WAIT_S = 10
# Deleted data is overwritten, so that /deleteme leaves nothing on the disk.
PRAGMAS = ("journal_mode = wal", "synchronous = normal", "secure_delete = on")
# For each version of the schema, the statements that change the previous version into it.
SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")
VERSIONS = [part.partition("\n")[2] for part in SCHEMA.split("-- version ")[1:]]


class SqliteFile:
    """The database at `path`, created with its folder if missing; `now` is the clock and returns an aware datetime.

    Raises RuntimeError if a newer version of the bot wrote the file.
    """

    def __init__(self, path: Path | str, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.RLock()
        self._db = _open(Path(path))
        with self._writing() as db:
            _migrate(db, str(path))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _seconds(self) -> float:
        """The current time as unix seconds, the unit of all stored times."""
        return self._now().timestamp()

    def _rows(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of one query."""
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def _row(self, statement: str, *values: Any) -> sqlite3.Row | None:
        """The first row of one query."""
        return next(iter(self._rows(statement, *values)), None)

    def _write(self, statement: str, *values: Any) -> int:
        """Run one statement in a transaction; returns the number of rows it changed."""
        with self._writing() as db:
            return db.execute(statement, values).rowcount

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed at the end of the block, rolled back if the block raises."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Created before SQLite opens it: the log next to it gets the mode of the file.
    path.touch(mode=0o600)
    path.chmod(0o600)
    db = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    for pragma in PRAGMAS:
        db.execute(f"PRAGMA {pragma}")
    return db


def _migrate(db: sqlite3.Connection, path: str) -> None:
    """Run the statements of every schema version that the file does not have yet."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(VERSIONS):
        raise RuntimeError(
            f"{path} was written by a newer version of the bot. Start that version, or move the file away."
        )
    for statement in statements(VERSIONS[version:]):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {len(VERSIONS)}")


def statements(versions: Iterable[str]) -> Iterator[str]:
    """The statements of these versions, which each end with a semicolon at the end of a line."""
    return (statement for version in versions for statement in version.split(";\n"))
