"""The ledger: commitments and outcomes, row by row, and the data to verify them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from flask import Blueprint, Response
from pydantic import Field
from sqlalchemy import Connection

from service.api.inputs import DATE, Query
from service.api.openapi_texts import WHAT_IT_PROVES
from service.api.operations import operation
from service.api.pages import link, page
from service.api.responses import document
from service.api.services import latest, services
from service.api.windows import charge_rows
from service.errors import ResourceNotFound
from service.ledger.chain import ChainEntry, Kind
from service.ledger.proofs import Proof
from service.ledger.roots import ALGORITHM, Root
from service.ledger.timestamps import Timestamp
from service.ledger.vectors import PROTOCOL, Vectors, vectors
from service.ledger.witness import WitnessDocument
from service.market.instants import DAY, World
from service.store import ledger as stored
from service.store.snapshots import WITNESS

ledger = Blueprint("ledger", __name__, url_prefix="/api/v1/ledger")

PAGE_LIMIT = 500
LAST_SEQ = 2**63 - 1  # the largest number that a database takes for a row


class Rows(Query):
    """Which rows are wanted."""

    first_seq: int = Field(1, ge=1, le=LAST_SEQ, description="the first row that is wanted")
    limit: int = Field(100, ge=1, le=PAGE_LIMIT, description="rows on a page")
    kind: Kind | None = Field(None, description="rows of one kind alone")
    subject: str | None = Field(
        None,
        min_length=1,
        max_length=96,
        description="rows about one market, strategy, lane, forecaster or hour alone, by its id",
    )


class Days(Query):
    """Which roots are wanted."""

    since: str = Field(
        "2000-01-01", pattern=f"^{DATE}$", examples=["2026-11-01"], description="the first day that is wanted"
    )
    limit: int = Field(100, ge=1, le=PAGE_LIMIT, description="roots on a page")


@dataclass(frozen=True)
class Place:
    """Where the last row stands."""

    seq: int
    hash: str
    recorded_at: str


@dataclass(frozen=True)
class LedgerDocument:
    """The base of what the ledger's addresses answer with."""

    schema: str
    world: World


@dataclass(frozen=True)
class LedgerPage(LedgerDocument):
    """Rows of the ledger, oldest first; `next` is the `first_seq` of the following page, null after the last.

    `head` is null on a page that has a next one, because such a page never changes.
    """

    count: int
    head: Place | None
    next: int | None
    entries: tuple[ChainEntry, ...]


@dataclass(frozen=True)
class LedgerHead(LedgerDocument):
    """Where the ledger stands: its last row (null before the first), the rows under no root yet, its public key."""

    seq: int | None
    hash: str | None
    recorded_at: str | None
    unsealed: int
    roots: int
    public_key: str | None
    algorithm: str
    what_it_proves: str


@dataclass(frozen=True)
class LedgerEntry(LedgerDocument):
    """One row, and the day whose root seals it, null before that."""

    entry: ChainEntry
    sealed_by: str | None


# The fields of the last base come first.
@dataclass(frozen=True)
class LedgerProof(Proof, LedgerDocument):
    """That a row lies under a signed root: it is the leaf `leaf_index` of `tree_size`, and `path` leads up from it."""


@dataclass(frozen=True)
class LedgerRoots(LedgerDocument):
    """The signed roots, oldest first; `next` is the `since` of the following page, null after the last."""

    count: int
    next: str | None
    roots: tuple[Root, ...]
    timestamps: tuple[Timestamp, ...]


@dataclass(frozen=True)
class LedgerVectors(Vectors, LedgerDocument):
    """The protocol of the ledger, a sentence a step, and made-up rows that follow it."""

    protocol: tuple[str, ...]


@ledger.get("")
@operation(tag="Ledger", limit="telemetry", returns=LedgerPage, is_cached=True)
def rows(query: Rows) -> Response:
    """The rows of the ledger: questions, votes, odds, resolutions, scores, price forecasts, strategies and lanes.

    Rows are only added, and the database refuses to change them; a `correction` is a new row, whose `body.corrects`
    names the row that it corrects. Where the world was taken back to a backup, corrections with `body.rewound_to` take
    back the rows since, and `recorded_at` may go back to that instant. Instants in a `body` are ISO 8601 (unix seconds
    in rows of the first edition).
    `backfilled` rows describe the time before the first start, so they are not commitments. A `forecast` row holds the
    salted hash of a caller's forecast, under a random id; when its market is settled, a `reveal` row shows its value
    and salt. Forecasts count from a `name` row on, which says that this id took its first public name. `hash` is the
    SHA-256 of the JSON of RFC 8785 of all other fields; `/api/v1/ledger/vectors` has the protocol with test vectors,
    and says how rows without a `form` are hashed.

    A page that has a next one never changes, so caches keep it; `head` is on the last page alone.
    """
    with services().database.reading() as db:
        entries = stored.entries(db, query.first_seq, query.limit + 1, kind=query.kind, subject=query.subject)
        last = stored.head(db)
    is_full = len(entries) > query.limit
    next = entries[query.limit].seq if is_full else None
    link(next, "first_seq")
    entries = tuple(entries[: query.limit])
    head = Place(last.seq, last.hash, last.recorded_at) if last and not is_full else None
    rows = LedgerPage("ledger/1", services().clock.world, len(entries), head, next, entries)
    return page(rows, DAY if is_full else None, is_final=is_full)


@ledger.get("/head")
@operation(tag="Ledger", limit="telemetry")
def head() -> LedgerHead:
    """The last row, how much of the ledger is sealed, by which key, and what that proves.

    Keep `hash` and `public_key`: with them you can tell later that nothing before was changed.
    """
    with services().database.reading() as db:
        root, roots, last = stored.last_root(db), stored.count_roots(db), stored.head(db)
    return LedgerHead(
        schema="ledger-head/1",
        world=services().clock.world,
        seq=last and last.seq,
        hash=last and last.hash,
        recorded_at=last and last.recorded_at,
        unsealed=(last.seq if last else 0) - (root.last_seq if root else 0),
        roots=roots,
        public_key=root and root.key,
        algorithm=ALGORITHM,
        what_it_proves=WHAT_IT_PROVES,
    )


@ledger.get("/roots")
@operation(tag="Ledger", limit="telemetry")
def roots(query: Days) -> LedgerRoots:
    """The root of every day, signed: keep them where this service cannot reach them.

    A root is that of the RFC 6962 tree over the hashes of rows `first_seq` to `last_seq`. `signature` is the Ed25519
    signature by `key` over the JSON of RFC 8785 of the fields before `key`. A day has one root at most, over
    every row that no root before it seals. `timestamps` are what RFC 3161 authorities outside signed of the roots of
    this page: `token` is the response of one in base64, over the line of the root in an export.
    """
    with services().database.reading() as db:
        daily = stored.daily_roots(db, query.since, query.limit + 1)
        page = tuple(daily[: query.limit])
        timestamps = stored.timestamps(db, page[0].day, page[-1].day) if page else ()
    next = daily[query.limit].day if len(daily) > query.limit else None
    link(next, "since")
    return LedgerRoots("ledger-roots/1", services().clock.world, len(page), next, page, timestamps)


@ledger.get("/vectors")
@operation(tag="Ledger", limit="telemetry")
def test_vectors() -> LedgerVectors:
    """How to verify the ledger with code of your own: the protocol step by step, and test vectors.

    They hold every text that is hashed or signed. `python -m service.ledger verify` does the same.
    """
    return LedgerVectors("ledger-vectors/1", services().clock.world, protocol=PROTOCOL, **vars(vectors()))


@ledger.get("/witness")
@operation(tag="Ledger", limit="telemetry", returns=WitnessDocument, is_cached=True, raises=(ResourceNotFound,))
def witness() -> Response:
    """What this service, as a witness, keeps of the ledgers of others, and where they were forked or rewritten.

    Each root is kept as it was first served; a fault stays in the list for good. Two roots of one day with valid
    signatures by one key prove that its owner signed both. A service is a witness where its operator made it one.
    """
    if not services().settings.witness_of:
        raise ResourceNotFound("This service is no witness: its operator names no ledger in WITNESS_OF.")
    return document(latest(WITNESS), max_age=60)


@ledger.get("/<seq>")
@operation(tag="Ledger", limit="telemetry", raises=(ResourceNotFound,))
def entry(seq: str) -> LedgerEntry:
    """One row, by its number."""
    with services().database.reading() as db:
        row = _row(db, seq)
        root = stored.sealed_by(db, row.seq)
    return LedgerEntry("ledger-entry/1", services().clock.world, row, root and root.day)


@ledger.get("/proof/<seq>")
@operation(tag="Ledger", limit="telemetry", raises=(ResourceNotFound,))
def proof(seq: str) -> LedgerProof:
    """The proof that a row lies under a signed root, for clients that do not want to download the whole ledger.

    Begin with the SHA-256 of a zero byte and `entry.hash`; with each step take the SHA-256 of a byte 1, the hash on
    the left and the hash on the right; the last is `root.root`. A row is sealed after the midnight that ends its day
    at the latest, or once a day without a root has come where the world was taken back; before it has no proof.
    """
    with services().database.reading() as db:
        row = _row(db, seq)
        root = stored.sealed_by(db, row.seq)
        if root is None:
            last = stored.last_root(db)  # a row is sealed after its day, and after the day of the last root
            day = max(row.recorded_at[:10], last.day if last else "")
            midnight = f"{date.fromisoformat(day) + timedelta(days=1)}T00:00:00Z"
            raise ResourceNotFound(f"Row {row.seq} is not sealed yet: it will be after {midnight} in world time.")
        charge_rows(root.last_seq - root.first_seq)
        evidence = stored.proof(db, row, root)
    return LedgerProof("ledger-proof/1", services().clock.world, **vars(evidence))


def _row(db: Connection, seq: str) -> ChainEntry:
    """The row with this number; raises ResourceNotFound with the numbers that exist."""
    number = int(seq) if re.fullmatch("[1-9][0-9]{0,18}", seq) else 0
    row = stored.find_entry(db, number) if 0 < number <= LAST_SEQ else None
    if row is None:
        last = stored.head(db)
        extent = f"its rows are 1 to {last.seq}" if last else "it has no rows yet"
        raise ResourceNotFound(f"The ledger does not have this row; {extent}.")
    return row
