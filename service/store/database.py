"""The database, SQLite or PostgreSQL: connections for reading and transactions for writing.

Readers and writers have separate pools. A reader commits after every statement and cannot write. A writer on SQLite
takes the write lock at once (BEGIN IMMEDIATE): with the driver's own transactions one in eight read-modify-write
updates was lost, and with a plain BEGIN most failed with "database is locked".
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import structlog
from sqlalchemy import (
    ARRAY,
    JSON,
    URL,
    Boolean,
    ColumnElement,
    Connection,
    Engine,
    String,
    Table,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    make_url,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    InterfaceError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from service.config import SettingsError
from service.errors import NinefoldError, ServiceUnavailable, SourceFailed
from service.store import migrations
from service.store.tables import PERSONAL

WAIT_S = 10
DAMAGE = "The database is damaged."
MOST_REASON = 300  # characters of what the driver says
SQLITE_PRAGMAS = (
    f"busy_timeout = {WAIT_S * 1000}",
    "synchronous = normal",
    "foreign_keys = on",
    "recursive_triggers = on",
)
POSTGRESQL_OPTIONS = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s"

_CONNECTIONS = text(
    "SELECT state, count(*) FROM pg_stat_activity WHERE datname = current_database() GROUP BY state ORDER BY state"
)

log = structlog.stdlib.get_logger(__name__)


class DatabaseAway(NinefoldError):
    """The database does not answer now; it may do so later."""

    code = "database_away"


# Errors of a database that is unreachable, locked or full: trying again may help.
AWAY = (DatabaseAway, OperationalError, InterfaceError, InternalError, PoolExhausted)


class Database:
    """A database by its SQLAlchemy address, `sqlite:///…` or `postgresql+psycopg://…`.

    `engine` is the writers' engine and `dialect` is "sqlite" or "postgresql". `damage` says what the last check of the
    pages found, and is empty where they are whole: a damaged database may not be able to keep it.
    """

    damage = ""

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

    def overwrite(self) -> None:
        """Overwrite what was erased: SQLite keeps it in free pages and its log, PostgreSQL in pages of its tables.

        PostgreSQL locks each of these tables while it is written again; its own log and statistics are left to it.
        """
        if self.dialect == "sqlite":
            with closing(self.engine.raw_connection()) as connection:
                connection.cursor().execute("VACUUM")
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("SET statement_timeout = 0")
            try:
                db.exec_driver_sql(f"VACUUM FULL {', '.join(table.name for table in PERSONAL)}")
            except OperationalError as error:  # an audit or a backup reads these tables
                detail = "It is erased, but not overwritten yet: repeat this while no audit or backup runs."
                raise ServiceUnavailable(detail) from error
            finally:
                db.exec_driver_sql("RESET statement_timeout")

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection whose statements all see the data of one instant."""
        with self.reading() as db:
            if self.dialect == "sqlite":
                db.exec_driver_sql("BEGIN")
                yield db
                db.exec_driver_sql("ROLLBACK")
            else:
                with db.execution_options(isolation_level="REPEATABLE READ").begin():
                    yield db

    def migrate(self) -> None:
        """Bring the schema up to date; several processes may do so at once. SettingsError where it is a newer one."""
        if self.dialect == "sqlite":
            _use_a_write_ahead_log(self.engine)
        with self.reading() as db:
            revision, head = migrations.current(db), migrations.head()
        if revision == head:
            return
        if revision and revision > head:
            raise SettingsError(f"The database is of a newer version (revision {revision}); this one knows {head}.")
        if revision and revision not in migrations.revisions():
            raise SettingsError(f"The database is of revision {revision}: start version 1.2 once, then this one.")
        with self.writing() as db:
            migrations.upgrade(db)
        log.info("migrated", revision=head, before=revision)

    def check_pages(self, check: Literal["quick_check", "integrity_check"] = "quick_check") -> str:
        """Look for damaged pages of an SQLite file, and return `damage`; PostgreSQL checks a page when it reads it."""
        if self.dialect == "sqlite":
            try:
                with self.reading() as db:
                    first = db.exec_driver_sql(f"PRAGMA {check}(1)").scalar()
            except DatabaseError as error:
                if fault_of(error) != DAMAGE:
                    raise
                first = error.orig
            reason = " ".join(str(first).split()).removeprefix("*** in database main *** ")
            self.damage = "" if reason == "ok" else f"{DAMAGE} {reason[:MOST_REASON]}"
        return self.damage

    def connections(self, db: Connection) -> dict[str, int]:
        """Open connections by state: on PostgreSQL those of all processes, on SQLite those of this one."""
        if self.dialect == "postgresql":
            return {state: count for state, count in db.execute(_CONNECTIONS) if state}
        pools = [engine.pool for engine in (self.engine, self._readers) if isinstance(engine.pool, QueuePool)]
        return {"active": sum(pool.checkedout() for pool in pools), "idle": sum(pool.checkedin() for pool in pools)}

    def close(self) -> None:
        self.engine.dispose()
        self._readers.dispose()


# What is wrong with a database, by the codes of SQLite and PostgreSQL.
FAULTS = {
    **dict.fromkeys(("SQLITE_FULL", "53100"), "The disk of the database is full."),
    **dict.fromkeys(("SQLITE_CORRUPT", "SQLITE_NOTADB", "XX001", "XX002"), DAMAGE),
}


def fault_of(error: Exception) -> str | None:
    """What is wrong with a database that raised this, in words; None where its code does not say so."""
    cause = getattr(error, "orig", None)
    return FAULTS.get(getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or "")


def reason_of(error: Exception) -> str:
    """What the database said, in one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())[:MOST_REASON]


def opened(url: str) -> Database:
    """The database with its schema up to date; DatabaseAway if it does not answer, SettingsError if it is no use."""
    place = database_name(url)
    try:
        database = Database(url)
        with closed_on_error(database):
            database.migrate()
    except OSError as error:
        raise SettingsError(f"The folder of the database {place} cannot be used: {error.strerror}.") from None
    except (SQLAlchemyError, sqlite3.Error) as error:
        kind = DatabaseAway if isinstance(error, AWAY) else SettingsError
        raise kind(f"The database {place} cannot be used: {reason_of(error)}") from None
    return database


@contextmanager
def closed_on_error(database: Database) -> Iterator[None]:
    """Close a database where the block raises: what would use it is not built."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def database_name(url: str) -> str:
    """The file of a database, or its host and name; without user and password."""
    address = address_of(url)
    return f"{address.host}/{address.database}" if address.host else str(address.database)


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


def insert_into(db: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """The INSERT of this database's dialect, which supports ON CONFLICT."""
    dialect = sqlite if db.dialect.name == "sqlite" else postgresql
    return dialect.insert(table)


def add_rows(db: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store rows; what is stored under the same keys stays as it is."""
    if rows:
        db.execute(insert_into(db, table).on_conflict_do_nothing(), rows)


def insert_tuples(db: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store rows of all columns in their order, directly through the driver: a first start writes many thousands."""
    marks = ", ".join(["?" if db.dialect.name == "sqlite" else "%s"] * len(table.c))
    db.exec_driver_sql(f"INSERT INTO {table.name} VALUES ({marks})", list(rows))  # noqa: S608 - of our own schema


def put_rows(
    db: Connection, table: Table, rows: Sequence[Mapping[str, Any]], *, constant: str = "", is_dated: bool = False
) -> None:
    """Store rows in place of those with the same keys; these keep their column `constant`.

    Where they are dated, a row with a later `as_of` stays as it is.
    """
    if rows:
        statement, keys = insert_into(db, table), table.primary_key.columns
        newer = {name: statement.excluded[name] for name in rows[0] if name not in keys and name != constant}
        guard = table.c.as_of <= statement.excluded.as_of if is_dated else None
        db.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=newer, where=guard), rows)


def _sqlite(address: URL) -> tuple[Engine, Engine]:
    file = Path(address.database or "")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)  # it holds addresses and questions; SQLite gives its other files the same mode
    # One writer: who waits for a connection is woken in turn; who waits for SQLite's lock sleeps and tries again.
    writers = create_engine(address, pool_size=1, max_overflow=0, pool_timeout=WAIT_S, hide_parameters=True)
    readers = create_engine(address, pool_size=64, pool_use_lifo=True, hide_parameters=True)
    event.listen(writers, "connect", partial(_prepare, SQLITE_PRAGMAS))
    event.listen(writers, "begin", lambda db: db.exec_driver_sql("BEGIN IMMEDIATE"))
    event.listen(readers, "connect", partial(_prepare, (*SQLITE_PRAGMAS, "query_only = on")))
    return writers, readers


def _prepare(pragmas: Iterable[str], connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")


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


# Texts as one value: an array of PostgreSQL, a JSON array of SQLite.
_KEYS = ARRAY(String()).with_variant(JSON(), "sqlite")


class _IsAmong(FunctionElement[bool]):
    """A column of texts and the keys that it is looked up in."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> _IsAmong:  # noqa: ARG002 - the name is that of SQLAlchemy
        """Itself: SQLite would be asked for `… = 1`, for which it uses no index."""
        return self


@compiles(_IsAmong, "postgresql")
def _in_array(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    column, keys = element.clauses
    return compiler.process(column == any_(keys), **options)


@compiles(_IsAmong, "sqlite")
def _in_json(element: _IsAmong, compiler: SQLCompiler, **options: Any) -> str:
    column, keys = element.clauses
    items = func.json_each(keys).table_valued("value")
    return compiler.process(column.in_(select(items.c.value)), **options)


def is_among(column: ColumnElement[str], keys: Sequence[str]) -> ColumnElement[bool]:
    """Whether a column of texts holds one of the keys; false where there are none."""
    return _IsAmong(column, bindparam("keys", list(keys), type_=_KEYS, unique=True))
