"""A database copied into an empty PostgreSQL one, and compared with it before it counts."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlalchemy import Connection, Table, func, select, text

from service.errors import InvalidRequest
from service.ledger.verifier import Verification, verify
from service.store import ledger
from service.store.database import Database, database_name, opened, revision_at
from service.store.tables import metadata

if TYPE_CHECKING:
    import psycopg

AT_ONCE = 5_000  # rows


@dataclass(frozen=True)
class Move:
    """What was copied: rows by table, and the verification of the copied ledger."""

    rows: dict[str, int]
    verification: Verification


def move(source: Database, url: str) -> Move:
    """Copy everything into the empty PostgreSQL database at `url`; it is empty again where anything fails.

    Nothing is written to the source meanwhile. Raises InvalidRequest where the target is in use, or where a table or
    the ledger is not the same afterwards.
    """
    if revision_at(url) is not None:
        raise InvalidRequest(f"{database_name(url)} is in use already: a move needs an empty database.")
    with closing(opened(url)) as target, source.writing() as old, target.writing() as new:
        _wait_without_end(new)
        rows = {table.name: _copy(old, new, table) for table in metadata.sorted_tables}
        _set_sequences(new)
        verification = verify(ledger.export(new))
        head = ledger.head(old)
        if verification.fault or verification.head != (head.hash if head else None):
            raise InvalidRequest(f"The copied ledger is not the same: {verification.fault or 'it ends elsewhere'}.")
    return Move(rows, verification)


def _copy(old: Connection, new: Connection, table: Table) -> int:
    """Copy a table and return the number of its rows; raises InvalidRequest where fewer or more have arrived."""
    rows = old.execution_options(yield_per=AT_ONCE).execute(select(table))
    connection = cast("psycopg.Connection", new.connection.driver_connection)
    names = ", ".join(column.name for column in table.columns)
    with connection.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN".encode()) as copy:
        for row in rows:
            copy.write_row(row)
    before, after = (db.scalar(select(func.count()).select_from(table)) or 0 for db in (old, new))
    if before != after:
        raise InvalidRequest(f"Of the {before} rows of {table.name} {after} were copied.")
    return after


def _wait_without_end(db: Connection) -> None:
    for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
        db.execute(text(f"SET LOCAL {limit} = 0"))


def _set_sequences(db: Connection) -> None:
    """Let new rows be numbered after the copied ones."""
    db.execute(
        text(
            "SELECT setval(pg_get_serial_sequence('webhook_delivery', 'number'), max(number)) "
            "FROM webhook_delivery HAVING max(number) IS NOT NULL"
        )
    )
