"""The ledger: what was committed and what became of it, row by row, and the means to check it."""

from __future__ import annotations

import re
from datetime import date, timedelta

from flask import Blueprint
from pydantic import Field
from sqlalchemy import Connection

from service.api import ledger_examples as examples
from service.api.inputs import DATE, Query
from service.api.ledger_documents import (
    WHAT_IT_PROVES,
    LedgerEntry,
    LedgerHead,
    LedgerPage,
    LedgerProof,
    LedgerRoots,
    Place,
)
from service.api.operations import operation
from service.api.services import services
from service.errors import NotFound
from service.ledger.chain import Entry, Kind
from service.ledger.roots import ALGORITHM
from service.store import ledger as stored

ledger = Blueprint("ledger", __name__, url_prefix="/api/v1/ledger")

MOST = 500
# The largest number that a database takes for a row.
LAST_SEQ = 2**63 - 1


class Rows(Query):
    """Which rows are wanted."""

    since: int = Field(1, ge=1, le=LAST_SEQ, description="the first row that is wanted")
    limit: int = Field(100, ge=1, le=MOST, description="rows on a page")
    kind: Kind | None = Field(None, description="rows of one kind alone")
    subject: str | None = Field(
        None, min_length=1, max_length=96, description="rows about one market, strategy or lane alone, by its id"
    )


class Days(Query):
    """Which roots are wanted."""

    since: str = Field("2000-01-01", pattern=f"^{DATE}$", description="the first day that is wanted")
    limit: int = Field(MOST, ge=1, le=MOST, description="roots on a page")


@ledger.get("")
@operation(tag="Ledger", limit="telemetry", example=examples.PAGE)
def rows(query: Rows) -> LedgerPage:
    """The rows of the ledger: questions, votes, odds, resolutions, scores, and what strategies and lanes did.

    Rows are only ever added, and the database refuses to change one; a `correction` is a new row that names in
    `body.corrects` the one that it corrects. `backfilled` rows tell of the time before the first start, which nobody
    committed to. `hash` is the SHA-256 of the canonical JSON of all other fields: names sorted, no spaces, numbers as
    Python writes them, text in UTF-8 as it is.
    """
    known = services()
    with known.database.reading() as db:
        found = stored.entries(db, query.since, query.limit + 1, kind=query.kind, subject=query.subject)
        last = stored.head(db)
    page = tuple(found[: query.limit])
    return LedgerPage(
        schema="ledger/1",
        world=known.clock.world,
        count=len(page),
        head=last and Place(last.seq, last.hash, last.recorded_at),
        next=found[query.limit].seq if len(found) > query.limit else None,
        entries=page,
    )


@ledger.get("/head")
@operation(tag="Ledger", limit="telemetry", example=examples.HEAD)
def head() -> LedgerHead:
    """The last row, how much of the ledger is sealed, by which key, and what that proves.

    Keep `hash` and `public_key`: with them you can tell later that nothing before was changed.
    """
    known = services()
    with known.database.reading() as db:
        root, roots, last = stored.last_root(db), stored.count_roots(db), stored.head(db)
    return LedgerHead(
        schema="ledger-head/1",
        world=known.clock.world,
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
@operation(tag="Ledger", limit="telemetry", example=examples.ROOTS)
def roots(query: Days) -> LedgerRoots:
    """The root of every day, signed: keep them where this service cannot reach them.

    A root is that of the RFC 6962 tree over the hashes of rows `first_seq` to `last_seq`. `signature` is the Ed25519
    signature of `key` over the canonical JSON of all other fields. A day has one root at most, over every row that
    no root before it seals.
    """
    known = services()
    with known.database.reading() as db:
        found = stored.daily_roots(db, query.since, query.limit + 1)
    page = tuple(found[: query.limit])
    return LedgerRoots(
        schema="ledger-roots/1",
        world=known.clock.world,
        count=len(page),
        next=found[query.limit].day if len(found) > query.limit else None,
        roots=page,
    )


@ledger.get("/<seq>")
@operation(tag="Ledger", limit="telemetry", raises=(NotFound,), example=examples.ENTRY)
def entry(seq: str) -> LedgerEntry:
    """One row, by its number."""
    known = services()
    with known.database.reading() as db:
        found = _found(db, seq)
        root = stored.sealed_by(db, found.seq)
    return LedgerEntry("ledger-entry/1", known.clock.world, found, root and root.day)


@ledger.get("/proof/<seq>")
@operation(tag="Ledger", limit="telemetry", raises=(NotFound,), example=examples.PROOF)
def proof(seq: str) -> LedgerProof:
    """That one row lies under a signed root, for who does not want to read the whole ledger.

    Begin with the SHA-256 of a zero byte and `entry.hash`; with each step take the SHA-256 of a byte 1, the hash on
    the left and the hash on the right; the last is `root.root`. A row is sealed after the midnight that ends its day
    at the latest; before it is it has no proof.
    """
    known = services()
    with known.database.reading() as db:
        found = _found(db, seq)
        root = stored.sealed_by(db, found.seq)
        if root is None:
            raise NotFound(_not_sealed_yet(found))
        proved = stored.proof(db, found, root)
    return LedgerProof("ledger-proof/1", known.clock.world, **vars(proved))


def _found(db: Connection, seq: str) -> Entry:
    """The row of that number; raises NotFound that says how many there are."""
    number = int(seq) if re.fullmatch("[1-9][0-9]{0,18}", seq) else 0
    found = stored.find(db, number) if 0 < number <= LAST_SEQ else None
    if found is None:
        last = stored.head(db)
        there = f"its rows are 1 to {last.seq}" if last else "it has no rows yet"
        raise NotFound(f"There is no such row in the ledger; {there}.")
    return found


def _not_sealed_yet(entry: Entry) -> str:
    midnight = date.fromisoformat(entry.recorded_at[:10]) + timedelta(days=1)
    return f"Row {entry.seq} is not sealed yet: it will be after {midnight}T00:00:00Z in world time."
