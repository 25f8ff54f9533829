"""The ledger's rows and daily roots: appended, sealed and read, never changed.

Instants are world seconds in the tables, and ISO 8601 in what is hashed, signed and published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from service import canonical
from service.config import SettingsError
from service.ledger import export as lines
from service.ledger import proofs, roots
from service.ledger.chain import Entry, Row, chained
from service.ledger.proofs import Proof
from service.ledger.roots import Root
from service.market.instants import DAY, iso
from service.store.database import insert
from service.store.tables import ledger, ledger_root

# Any number, as long as nothing else in this database takes the same advisory lock.
LOCK = 9_154_700_002
PAGE = 5_000

# What makes the database itself refuse to change a row, by dialect: statements for the migration that makes the tables.
# On SQLite an INSERT OR REPLACE deletes without a DELETE wherever recursive_triggers is off, as it is by default.
GUARDS: dict[str, tuple[str, ...]] = {
    "sqlite": (
        "CREATE TRIGGER ledger_update BEFORE UPDATE ON ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER ledger_delete BEFORE DELETE ON ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER ledger_replace BEFORE INSERT ON ledger "
        "WHEN EXISTS (SELECT seq FROM ledger WHERE seq = NEW.seq) "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER ledger_root_update BEFORE UPDATE ON ledger_root "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER ledger_root_delete BEFORE DELETE ON ledger_root "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER ledger_root_replace BEFORE INSERT ON ledger_root "
        "WHEN EXISTS (SELECT day FROM ledger_root WHERE day = NEW.day) "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_to_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$",
        "CREATE TRIGGER ledger_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change()",
        "CREATE TRIGGER ledger_root_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_root "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change()",
    ),
}

_ADD = {
    "sqlite": "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "postgresql": "INSERT INTO ledger VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
}
_LAST = select(ledger).order_by(ledger.c.seq.desc()).limit(1)
_ONE = select(ledger).where(ledger.c.seq == bindparam("wanted"))
_FROM = select(ledger).where(ledger.c.seq >= bindparam("since")).order_by(ledger.c.seq).limit(bindparam("most"))
_HASHES = (
    select(ledger.c.hash).where(ledger.c.seq.between(bindparam("first"), bindparam("last"))).order_by(ledger.c.seq)
)
_UNSEALED = (
    select(ledger.c.hash)
    .where(ledger.c.seq > bindparam("sealed"), ledger.c.recorded_at < bindparam("until"))
    .order_by(ledger.c.seq)
)
_LAST_ROOT = select(ledger_root).order_by(ledger_root.c.last_seq.desc()).limit(1)
_ROOT_OVER = (
    select(ledger_root).where(ledger_root.c.last_seq >= bindparam("seq")).order_by(ledger_root.c.last_seq).limit(1)
)
_ROOTS = (
    select(ledger_root)
    .where(ledger_root.c.day >= bindparam("since"))
    .order_by(ledger_root.c.day)
    .limit(bindparam("most"))
)


def append(db: Connection, rows: Iterable[Row], recorded_at: int) -> tuple[Entry, ...]:
    """Record the rows in their order; they are not there before the transaction of `db` is committed.

    No row is recorded before the one before it: what comes late, from a slot that was retried, is recorded at the
    instant of the last row. Raises ValueError when a body holds what JSON cannot.
    """
    _take_the_only_turn(db)
    last = db.execute(_LAST).first()
    instant = max(recorded_at, last.recorded_at) if last else recorded_at
    entries = tuple(chained(rows, iso(instant), _entry(last) if last else None))
    if entries:
        # To the driver directly: a first start brings thousands of rows.
        stored = [
            (one.seq, instant, one.kind, one.subject, one.backfilled, canonical.write(one.body), one.previous, one.hash)
            for one in entries
        ]
        db.exec_driver_sql(_ADD[db.dialect.name], stored)
    return entries


def seal(db: Connection, day: str, key: bytes, signed_at: int) -> Root | None:
    """Sign one root over every row until the end of `day` (`2026-11-21`, UTC) that has none; None when there is none.

    `key` is the private key. Raises SettingsError when it is not the one that signed the root before: roots of two
    keys cannot be told from a forgery, and none can be taken back.
    """
    _take_the_only_turn(db)
    before = last_root(db)
    if before and before.key != roots.public_key(key):
        raise SettingsError(f"the ledger is signed by another key, {before.key}: restore LEDGER_KEY or its file")
    until = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) + DAY
    sealed = before.last_seq if before else 0
    hashes = list(db.scalars(_UNSEALED, {"sealed": sealed, "until": until}))
    if not hashes or (before and day <= before.day):
        return None
    root = roots.sign(
        hashes,
        day=day,
        first_seq=sealed + 1,
        previous=before.root if before else "",
        signed_at=iso(signed_at),
        seed=key,
    )
    db.execute(insert(db, ledger_root).values(vars(root) | {"signed_at": signed_at}))
    return root


def head(db: Connection) -> Entry | None:
    """The last row; None while there is none."""
    row = db.execute(_LAST).first()
    return _entry(row) if row else None


def find(db: Connection, seq: int) -> Entry | None:
    """The row of that number."""
    row = db.execute(_ONE, {"wanted": seq}).first()
    return _entry(row) if row else None


def entries(
    db: Connection, since: int, limit: int, *, kind: str | None = None, subject: str | None = None
) -> list[Entry]:
    """At most `limit` rows from `since` on, oldest first: all, or those of a kind, about a subject."""
    wanted = _FROM
    if kind is not None:
        wanted = wanted.where(ledger.c.kind == kind)
    if subject is not None:
        wanted = wanted.where(ledger.c.subject == subject)
    return [_entry(row) for row in db.execute(wanted, {"since": since, "most": limit})]


def last_root(db: Connection) -> Root | None:
    """The last root; None before the first day was sealed."""
    row = db.execute(_LAST_ROOT).first()
    return _root(row) if row else None


def sealed_by(db: Connection, seq: int) -> Root | None:
    """The root that seals the row of that number; None before it is sealed."""
    row = db.execute(_ROOT_OVER, {"seq": seq}).first()
    return _root(row) if row else None


def daily_roots(db: Connection, since: str, limit: int) -> list[Root]:
    """At most `limit` roots of `since` (`2026-11-21`) and the days after it, oldest first."""
    return [_root(row) for row in db.execute(_ROOTS, {"since": since, "most": limit})]


def count_roots(db: Connection) -> int:
    """How many days have been sealed."""
    return db.scalar(select(func.count()).select_from(ledger_root))


def proof(db: Connection, entry: Entry, root: Root) -> Proof:
    """The proof that `entry` lies under `root`, which seals it."""
    hashes = list(db.scalars(_HASHES, {"first": root.first_seq, "last": root.last_seq}))
    return proofs.prove(entry, root, hashes)


def export(db: Connection) -> Iterator[str]:
    """The whole ledger as lines for `python -m service.ledger verify`, without their ends.

    What is recorded meanwhile comes too, so the roots are read first: a root never lacks its rows.
    """
    known = [_root(row) for row in db.execute(select(ledger_root).order_by(ledger_root.c.day))]
    since = 1
    while page := entries(db, since, PAGE):
        yield from (lines.line("row", vars(one)) for one in page)
        since = page[-1].seq + 1
    yield from (lines.line("root", vars(root)) for root in known)


def _take_the_only_turn(db: Connection) -> None:
    """Let one transaction write at a time; on SQLite a writer is alone already."""
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _entry(row: Any) -> Entry:
    told = row._asdict()
    return Entry(**told | {"recorded_at": iso(row.recorded_at), "body": canonical.read(row.body)})


def _root(row: Any) -> Root:
    return Root(**row._asdict() | {"signed_at": iso(row.signed_at)})
