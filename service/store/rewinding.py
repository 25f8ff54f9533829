"""A database made from a backup that goes on with the ledger of the one that it takes the place of."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass

from sqlalchemy import Connection, Table, insert, select, update
from sqlalchemy.exc import DatabaseError

from service.errors import InvalidRequest
from service.ledger.chain import ChainEntry
from service.ledger.rewinding import corrections
from service.ledger.verifier import Verification, verify
from service.market.instants import iso
from service.store import ledger, migrations
from service.store.database import Database, database_name, revision_at
from service.store.tables import ledger as ledger_rows
from service.store.tables import ledger_root, webhook, world


@dataclass(frozen=True)
class Rewind:
    """The rows and roots that were taken over, the rows that were corrected, and the verification of the ledger."""

    rows: int
    roots: int
    corrected: int
    verification: Verification


def rewind(restored: Database, abandoned: str, note: str, now: int) -> Rewind:
    """Append what the ledger of the database at the URL `abandoned` has beyond that of `restored`, and take it back.

    The corrections hold `note` and the world second `now`. Webhooks go on where they were in the abandoned database, to
    which nothing is written. Raises InvalidRequest where the two do not belong together, where `restored` went on
    alone, or where its last row is later than `now`.
    """
    name = database_name(abandoned)
    _require_readable(abandoned, name)
    with closing(Database(abandoned)) as other, other.reading() as old, restored.writing() as new:
        ledger.lock(new)
        since = _common_rows(old, new, name, now)
        rows = _take_over(old, new, ledger_rows, "seq", since)
        if not rows:
            raise InvalidRequest(f"{name} has no row after row {since}: there is nothing to take back.")
        sealed = ledger.last_root(new)
        roots = _take_over(old, new, ledger_root, "last_seq", sealed.last_seq if sealed else 0)
        corrected = _take_back(new, ledger.entries(new, since + 1, rows), note, now)
        _go_on_with_webhooks(old, new)
        verification = verify(ledger.export(new))
        if verification.fault:
            raise InvalidRequest(f"The ledger of {name} is not intact: {verification.fault}")
    return Rewind(rows, roots, corrected, verification)


def _require_readable(url: str, name: str) -> None:
    try:
        revision = revision_at(url)
    except (DatabaseError, sqlite3.Error) as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())
        raise InvalidRequest(f"{name} cannot be read: {reason}.") from None
    if revision is None:
        raise InvalidRequest(f"{name} is not a database of this service.")
    if revision != migrations.head():
        raise InvalidRequest(f"{name} is at revision {revision}; this version needs {migrations.head()}.")


def _common_rows(old: Connection, new: Connection, name: str, now: int) -> int:
    """The number of rows of the restored ledger, with which the other one begins."""
    worlds = [db.execute(select(world.c.name, world.c.fingerprint, world.c.step)).one_or_none() for db in (old, new)]
    if worlds[0] != worlds[1]:
        raise InvalidRequest(f"{name} is of another world.")
    last = ledger.head(new)
    if last is None:
        return 0
    if last.recorded_at > iso(now):
        raise InvalidRequest(
            f"Row {last.seq} was recorded at {last.recorded_at}, and the clock shows {iso(now)}: restore a backup from "
            "before the jump, or set the clock right."
        )
    if ledger.find(old, last.seq) != last:
        raise InvalidRequest(
            f"{name} does not have row {last.seq} of this ledger. If the service was started since, restore the backup "
            "again."
        )
    return last.seq


def _take_over(old: Connection, new: Connection, table: Table, place: str, since: int) -> int:
    """Copy the rows of a table after a place of the ledger, and return their number."""
    column = table.c[place]
    rows = [row._asdict() for row in old.execute(select(table).where(column > since).order_by(column))]
    if rows:
        new.execute(insert(table), rows)
    return len(rows)


def _take_back(db: Connection, entries: list[ChainEntry], note: str, now: int) -> int:
    try:
        rows = list(corrections(entries, note, iso(now)))
    except ValueError as error:
        raise InvalidRequest(f"The backup is of a time that was taken back: {error}.") from None
    return len(ledger.append(db, rows, now, may_be_earlier=True))


def _go_on_with_webhooks(old: Connection, new: Connection) -> None:
    """Continue after the last delivery from the abandoned database; rows that were taken back are not delivered."""
    last = ledger.last_seq(new)
    places = {row.id: row.cursor for row in old.execute(select(webhook.c.id, webhook.c.cursor))}
    afresh = {"attempts": 0, "failing_since": None, "next_at": 0.0, "held_until": 0.0}
    for id in new.scalars(select(webhook.c.id)).all():
        new.execute(update(webhook).where(webhook.c.id == id).values(cursor=places.get(id, last), **afresh))
