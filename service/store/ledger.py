"""The rows and daily roots of the ledger, which are appended, sealed and read, but never changed.

Instants are world seconds in the tables, and ISO 8601 where they are hashed, signed and published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select

from service import canonical
from service.config import SettingsError
from service.ledger import proofs, roots
from service.ledger.chain import GENESIS, ChainEntry, Kind, LedgerRow, chained, line
from service.ledger.proofs import Proof
from service.ledger.roots import Root, handover_row
from service.ledger.timestamps import Timestamp
from service.market.instants import DAY, iso, unix
from service.store.database import add_rows, insert_tuples
from service.store.tables import ledger, ledger_root, ledger_timestamp

# Any number that is not used by another advisory lock of this database.
LOCK = 9_154_700_002
PAGE = 5_000

_LAST = select(ledger).order_by(ledger.c.seq.desc()).limit(1)
_HASHES = select(ledger.c.hash).order_by(ledger.c.seq)


def append(db: Connection, rows: Iterable[LedgerRow], recorded_at: int) -> tuple[ChainEntry, ...]:
    """Record the rows in their order, in the transaction of `db`; ValueError if a body is not JSON.

    Instants never decrease: the late row of a retried slot is recorded at the instant of the last row.
    """
    lock(db)
    last = head(db)
    instant = max(recorded_at, unix(last.recorded_at)) if last else recorded_at
    entries = tuple(chained(rows, iso(instant), last))
    stored = [vars(row) | {"recorded_at": instant, "body": canonical.write(row.body)} for row in entries]
    if stored:
        insert_tuples(db, ledger, [tuple(row[column.name] for column in ledger.c) for row in stored])
    return entries


def seal(db: Connection, day: str, key: bytes, signed_at: int) -> Root | None:
    """Sign a root over every unsealed row until the end of `day` (`2026-11-21`, UTC); None when there is none.

    `key` is the private key. Raises SettingsError when another key signs this ledger: a verifier cannot distinguish a
    second key from a forgery, and a published root cannot be withdrawn.
    """
    lock(db)
    before, signer = last_root(db), signing_key(db)
    if signer and signer != roots.public_key(key):
        raise SettingsError(f"the ledger is signed by another key, {signer}: restore LEDGER_KEY or its file")
    until = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) + DAY
    sealed_to, root_before = (before.last_seq, before.root) if before else (0, "")
    is_unsealed = ledger.c.seq > sealed_to
    # The last row before an instant. In old ledgers, rows that were taken back come before it with a later instant.
    last = select(func.max(ledger.c.seq)).where(is_unsealed, ledger.c.recorded_at < until).scalar_subquery()
    hashes = list(db.scalars(_HASHES.where(is_unsealed, ledger.c.seq <= last)))
    if not hashes or (before and day <= before.day):
        return None
    root = roots.sign(
        hashes, day=day, first_seq=sealed_to + 1, root_before=root_before, signed_at=iso(signed_at), seed=key
    )
    db.execute(insert(ledger_root).values(vars(root) | {"signed_at": signed_at}))
    return root


def hand_over(db: Connection, before: bytes, after: bytes, recorded_at: int) -> ChainEntry:
    """Record that the private key `after` signs the roots from now on, signed by `before`, the one until now."""
    lock(db)
    last = head(db)
    row = handover_row(before, after, last.hash if last else GENESIS)
    (entry,) = append(db, [row], recorded_at)
    return entry


def signing_key(db: Connection) -> str | None:
    """The public key that signs the next root: of the last root, or of a hand-over after it; None before the first."""
    root, handover = last_root(db), db.execute(_LAST.where(ledger.c.kind == "handover")).first()
    if handover and (root is None or handover.seq > root.last_seq):
        return canonical.read(handover.body)["key"]
    return root.key if root else None


def head(db: Connection) -> ChainEntry | None:
    row = db.execute(_LAST).first()
    return _entry(row) if row else None


def find_entry(db: Connection, seq: int) -> ChainEntry | None:
    row = db.execute(select(ledger).where(ledger.c.seq == seq)).first()
    return _entry(row) if row else None


def entries(
    db: Connection, since: int, limit: int, *, kind: str | None = None, subject: str | None = None
) -> list[ChainEntry]:
    """At most `limit` rows from `since` on, oldest first, optionally of one kind or about one subject."""
    query = select(ledger).where(ledger.c.seq >= since)
    if kind is not None:
        query = query.where(ledger.c.kind == kind)
    if subject is not None:
        query = query.where(ledger.c.subject == subject)
    return [_entry(row) for row in db.execute(query.order_by(ledger.c.seq).limit(limit))]


def pages(db: Connection, *, kind: str | None = None) -> Iterator[list[ChainEntry]]:
    """All rows, optionally of one kind, oldest first, with those that are recorded meanwhile; a page at a time."""
    since = 1
    while page := entries(db, since, PAGE, kind=kind):
        yield page
        since = page[-1].seq + 1


def live_entries(db: Connection, after: int, kinds: Sequence[Kind], limit: int) -> list[ChainEntry]:
    """At most `limit` rows of these kinds after row `after` that are not backfilled, oldest first."""
    query = select(ledger).where(ledger.c.seq > after, ~ledger.c.backfilled, ledger.c.kind.in_(kinds))
    return [_entry(row) for row in db.execute(query.order_by(ledger.c.seq).limit(limit))]


def subjects(db: Connection, kind: Kind, after: int, until: int) -> list[str]:
    """What the rows of a kind are about that come after one seq, up to another one."""
    rows = ledger.c.seq.between(after + 1, until) & (ledger.c.kind == kind)
    return list(db.scalars(select(ledger.c.subject).where(rows).order_by(ledger.c.seq)))


def last_seq(db: Connection) -> int:
    """The number of the last row; 0 while there is none."""
    return db.scalar(select(func.max(ledger.c.seq))) or 0


def last_root(db: Connection) -> Root | None:
    row = db.execute(select(ledger_root).order_by(ledger_root.c.last_seq.desc()).limit(1)).first()
    return _root(row) if row else None


def sealed_by(db: Connection, seq: int) -> Root | None:
    """The root that seals the row with this number; None before it is sealed."""
    query = select(ledger_root).where(ledger_root.c.last_seq >= seq).order_by(ledger_root.c.last_seq).limit(1)
    row = db.execute(query).first()
    return _root(row) if row else None


def daily_roots(db: Connection, since: str, limit: int) -> list[Root]:
    """At most `limit` roots from the day `since` (`2026-11-21`) on, oldest first."""
    query = select(ledger_root).where(ledger_root.c.day >= since).order_by(ledger_root.c.day).limit(limit)
    return [_root(row) for row in db.execute(query)]


def add_timestamps(db: Connection, timestamps: Iterable[Timestamp]) -> None:
    """Store what authorities signed, unless they have signed the same root before."""
    rows = [vars(timestamp) | {"stamped_at": unix(timestamp.stamped_at)} for timestamp in timestamps]
    add_rows(db, ledger_timestamp, rows)


def timestamps(db: Connection, since: str = "", until: str = "9") -> tuple[Timestamp, ...]:
    """What authorities signed of the roots from one day to another, oldest root first."""
    query = select(ledger_timestamp).where(ledger_timestamp.c.day.between(since, until))
    rows = db.execute(query.order_by(ledger_timestamp.c.day, ledger_timestamp.c.authority))
    return tuple(Timestamp(row.day, row.authority, iso(row.stamped_at), row.token) for row in rows)


def count_roots(db: Connection) -> int:
    """The number of sealed days."""
    return db.scalar(select(func.count()).select_from(ledger_root)) or 0


def proof(db: Connection, entry: ChainEntry, root: Root) -> Proof:
    """The proof that `root`, which seals `entry`, includes it."""
    hashes = db.scalars(_HASHES.where(ledger.c.seq.between(root.first_seq, root.last_seq))).all()
    return proofs.prove(entry, root, hashes)


def export(db: Connection) -> Iterator[str]:
    """The whole ledger as lines for `python -m service.ledger verify`, without line endings.

    Rows recorded meanwhile are included, so timestamps and roots are read first: the export then has all rows of every
    root, and the root of every timestamp.
    """
    stamps = timestamps(db)
    seals = daily_roots(db, "", count_roots(db))
    yield from (line("row", vars(entry)) for page in pages(db) for entry in page)
    yield from (line("root", vars(root)) for root in seals)
    yield from (line("timestamp", vars(timestamp)) for timestamp in stamps)


def lock(db: Connection) -> None:
    """Let one transaction append at a time, until it ends; on SQLite there is only one writer anyway."""
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(LOCK)))


def _entry(row: Any) -> ChainEntry:
    return ChainEntry(**(row._asdict() | {"recorded_at": iso(row.recorded_at), "body": canonical.read(row.body)}))


def _root(row: Any) -> Root:
    return Root(**(row._asdict() | {"signed_at": iso(row.signed_at)}))
