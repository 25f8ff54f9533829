"""A database made from a backup that goes on with the ledger of the one that it takes the place of."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from sqlalchemy import Connection, Table, insert, select, update

from service.errors import InvalidRequest
from service.ledger.rewinding import corrections
from service.ledger.verifier import Verification, verify
from service.market.instants import iso
from service.store import ledger, migrations, tables
from service.store.database import Database, database_name, revision_at


@dataclass(frozen=True)
class Rewind:
    """The rows and roots that were taken over, the rows that were corrected, and the verification of the ledger."""

    rows: int
    roots: int
    corrected: int
    verification: Verification


def rewind(restored: Database, abandoned: str, note: str, now: int) -> Rewind:
    """Append what the ledger of the database at the URL `abandoned` has beyond that of `restored`, and take it back.

    The ledger of `restored` must be the beginning of the other one. The corrections hold `note` and the world second
    `now`. Webhooks go on after them: what they name was delivered, or does not count. Nothing is written to the
    abandoned database. Raises InvalidRequest where the two do not belong together.
    """
    name = database_name(abandoned)
    if revision_at(abandoned) != migrations.head():
        raise InvalidRequest(f"{name} is no database of this version: migrate it first, or name another one.")
    with closing(Database(abandoned)) as other, other.reading() as old, restored.writing() as new:
        ledger.lock(new)
        last = ledger.head(new)
        since = last.seq if last else 0
        if (ledger.find(old, since) if last else None) != last:
            raise InvalidRequest(f"{name} does not have row {since} of this ledger: rewind before the service starts.")
        rows = _take_over(old, new, tables.ledger, "seq", since)
        if not rows:
            raise InvalidRequest(f"{name} has no row after row {since}: there is nothing to take back.")
        sealed = ledger.last_root(new)
        roots = _take_over(old, new, tables.ledger_root, "last_seq", sealed.last_seq if sealed else 0)
        taken_back = corrections(ledger.entries(new, since + 1, rows), note, iso(now))
        corrected = ledger.append(new, taken_back, now, is_rewinding=True)
        new.execute(update(tables.webhook).values(cursor=ledger.last_seq(new)))
        verification = verify(ledger.export(new))
        if verification.fault:
            raise InvalidRequest(f"The ledger of {name} is not intact: {verification.fault}")
    return Rewind(rows, roots, len(corrected), verification)


def _take_over(old: Connection, new: Connection, table: Table, place: str, since: int) -> int:
    """Copy the rows of a table after a place of the ledger, and return their number."""
    column = table.c[place]
    rows = [row._asdict() for row in old.execute(select(table).where(column > since).order_by(column))]
    if rows:
        new.execute(insert(table), rows)
    return len(rows)
