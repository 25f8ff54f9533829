"""The database, SQLite or PostgreSQL: connections for reading and transactions for writing.

Readers and writers have separate pools. A reader commits after every statement and cannot write. A writer on SQLite
takes the write lock at once (BEGIN IMMEDIATE): with the driver's own transactions one in eight read-modify-write
updates was lost, and with a plain BEGIN most failed with "database is locked".
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from service.config import SettingsError
from service.errors import SourceFailed
from service.store import migrations

WAIT_S = 10
SQLITE_PRAGMAS = (
    f"busy_timeout = {WAIT_S * 1000}",
    "synchronous = normal",
    "foreign_keys = on",
    "recursive_triggers = on",
)
POSTGRESQL_OPTIONS = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s"


class Database:
    """A database by its SQLAlchemy address, `sqlite:///…` or `postgresql+psycopg://…`.

    `engine` is the writers' engine and `dialect` is "sqlite" or "postgresql".
    """

    def __init__(self, url: str) -> None:
        address = address_of(url)
        self.dialect = address.get_backend_name()
        connect = _sqlite if self.dialect == "sqlite" else _postgresql
        self.engine, self._readers = connect(address)

    def reading(self) -> Connection:
        """A connection, for `with`, whose statements each see the data committed when they run."""
        return self._readers.connect()

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        return self.engine.begin()

    def migrate(self) -> None:
        """Bring the schema up to date; several processes may do so at the same time."""
        if self.dialect == "sqlite":
            _use_a_write_ahead_log(self.engine)
        with self.reading() as db:
            if migrations.current(db) == migrations.head():
                return
        with self.writing() as db:
            migrations.upgrade(db)

    def close(self) -> None:
        self.engine.dispose()
        self._readers.dispose()


def address_of(url: str) -> URL:
    """The address of a database; SettingsError where it is neither of the two kinds."""
    with suppress(ArgumentError, ValueError):
        address = make_url(url)
        if address.drivername == "postgresql+psycopg" or (address.drivername == "sqlite" and address.database):
            return address
    raise SettingsError("DATABASE_URL: not a valid address; it begins with postgresql:// or sqlite:///")


def revision_at(url: str) -> str | None:
    """The migration of a database; None where it is empty or its file, which is not created, does not exist.

    Raises SourceFailed where the file cannot be created either.
    """
    file = Path(address_of(url).database or "").absolute()
    if url.startswith("sqlite") and not file.is_file():
        folder = next(parent for parent in file.parents if parent.exists())
        if not os.access(f"{folder}/", os.W_OK | os.X_OK):
            raise SourceFailed(f"The file does not exist and cannot be created in {folder}.")
        return None
    with closing(Database(url)) as database, database.reading() as db:
        return migrations.current(db)


def insert(db: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """The INSERT of this database's dialect, which supports ON CONFLICT."""
    dialect = sqlite if db.dialect.name == "sqlite" else postgresql
    return dialect.insert(table)


def _sqlite(address: URL) -> tuple[Engine, Engine]:
    Path(address.database or "").parent.mkdir(parents=True, exist_ok=True)
    writers, readers = (
        create_engine(address, pool_size=64, pool_use_lifo=True, hide_parameters=True) for _ in range(2)
    )
    event.listen(writers, "connect", _prepare_writer)
    event.listen(writers, "begin", _take_the_write_lock)
    event.listen(readers, "connect", _prepare_reader)
    return writers, readers


def _prepare_writer(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    for pragma in SQLITE_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _prepare_reader(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    _prepare_writer(connection, record)
    connection.execute("PRAGMA query_only = on")


def _use_a_write_ahead_log(writers: Engine) -> None:
    """Switch the file to WAL; SQLite ignores its timeout here and refuses while other processes start."""
    deadline = time.monotonic() + WAIT_S
    with closing(writers.raw_connection()) as connection:
        while True:
            try:
                connection.cursor().execute("PRAGMA journal_mode = wal")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


def _take_the_write_lock(db: Connection) -> None:
    db.exec_driver_sql("BEGIN IMMEDIATE")


def _postgresql(address: URL) -> tuple[Engine, Engine]:
    # Kept small: four processes with both pools full must stay below PostgreSQL's default of 100 connections.
    pool = {"pool_size": 5, "max_overflow": 5, "pool_pre_ping": True, "pool_use_lifo": True, "hide_parameters": True}
    options = f"{address.query.get('options', '')} {POSTGRESQL_OPTIONS}"
    writing = {"connect_timeout": 5, "tcp_user_timeout": 20_000, "options": options}
    reading = writing | {"options": f"{options} -c default_transaction_read_only=on"}
    writers = create_engine(address, **pool, connect_args=writing)
    readers = create_engine(
        address, **pool, connect_args=reading, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True
    )
    return writers, readers
