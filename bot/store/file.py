"""The file beneath the store: SQLite with a write-ahead log, for its owner's eyes only, migrated when it is opened.

One connection and a lock: the bot's handlers come from a pool of threads, and none of them stays long. Another process
may have the same file open; a writer takes the write lock at once and waits for its turn.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.store.schema import VERSIONS

WAIT_S = 10
# What is deleted is overwritten: a person who asks for that is told the truth.
PRAGMAS = ("journal_mode = wal", "synchronous = normal", "secure_delete = on")


class File:
    """The database at `path`, made with its folder if it is not there; `now` tells the time, aware of its zone.

    Raises RuntimeError when a newer version of the bot wrote the file.
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
        """The time as a unix second; what is stored is compared with this."""
        return self._now().timestamp()

    def _rows(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        """What one statement finds."""
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def _row(self, statement: str, *values: Any) -> sqlite3.Row | None:
        return next(iter(self._rows(statement, *values)), None)

    def _write(self, statement: str, *values: Any) -> int:
        """How many rows one statement changed."""
        with self._writing() as db:
            return db.execute(statement, values).rowcount

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _forget_the_log(self) -> None:
        """Empty the write-ahead log, in which what was deleted would stand for a while."""
        with self._lock:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Made before SQLite makes it: the log beside it takes the mode of the file.
    path.touch(mode=0o600)
    path.chmod(0o600)
    db = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    for pragma in PRAGMAS:
        db.execute(f"PRAGMA {pragma}")
    return db


def _migrate(db: sqlite3.Connection, path: str) -> None:
    """Bring the schema up to date, from whichever version it is at."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(VERSIONS):
        raise RuntimeError(f"{path} was written by a newer version of the bot; start that one, or move the file away.")
    for statements in VERSIONS[version:]:
        for statement in statements:
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {len(VERSIONS)}")
