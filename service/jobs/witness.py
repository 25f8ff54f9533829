"""The witness: keeps the signed roots of other instances, and compares what they serve later with them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import structlog
from sqlalchemy import Connection

from service.client import Client, ClientError
from service.documents import adapter
from service.jobs.job import Effects, JobContext
from service.ledger.chain import line
from service.ledger.roots import Root
from service.ledger.verifier import verify
from service.ledger.witness import WitnessDocument, WitnessedLedger
from service.market.instants import HOUR, iso
from service.store import snapshots

EVERY_S = HOUR
VISIT_S = 120  # after which no other root of a ledger is begun
MOST_ROWS = 50_000  # of one root, and about as many of one visit
MOST_PAGES = 500

log = structlog.stdlib.get_logger(__name__)


def is_witness(_db: Connection, job_context: JobContext) -> bool:
    return bool(job_context.settings.witness_of)


def witness(job_context: JobContext, slot: int) -> Effects:
    """Visit each ledger: all of its roots, and the rows of those that were not looked at for longest."""
    settings = job_context.settings
    with job_context.database.reading() as db:
        document = snapshots.find_document(db, snapshots.WITNESS, WitnessDocument)
    ledgers = {ledger.address: ledger for ledger in document.ledgers} if document else {}
    for address in settings.witness_of:
        ledger = ledgers.get(address, WitnessedLedger(address))
        with Client(address, timeout_s=settings.source_timeout_s) as client:
            ledgers[address] = _visit(client, ledger, iso(slot), settings.authorities)
    document = WitnessDocument("witness/1", iso(slot), tuple(ledgers.values()))
    return lambda db: snapshots.publish(db, slot, {snapshots.WITNESS: document})


def _visit(client: Client, before: WitnessedLedger, at: str, certificates: bytes | None) -> WitnessedLedger:
    """A ledger after a visit, as far as it answered."""
    ledger, end, rows = before, time.monotonic() + VISIT_S, 0
    try:
        pages = list(_pages(client))
        served = (adapter(tuple[Root, ...]).validate_python(page["roots"]) for page in pages)
        ledger = ledger.with_served(chain.from_iterable(served), at)
        for place in ledger.due():
            root, after = ledger.roots[place].root, ledger.roots[place - 1].root if place else None
            rows += (size := root.last_seq - root.first_seq + 1)
            if time.monotonic() > end or rows > MOST_ROWS + size:
                break
            stamps = (stamp for page in pages for stamp in page["timestamps"] if stamp["day"] == root.day)
            lines = [*_rows(client, root), line("root", vars(root)), *(line("timestamp", stamp) for stamp in stamps)]
            ledger = ledger.with_rows(place, verify(lines, certificates=certificates, after=after).fault, at)
        ledger = replace(ledger, reached_at=at)
    except (ClientError, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        log.warning("source_failed", ledger=ledger.address, detail=f"{type(error).__name__}: {error}"[:300])
    for fault in ledger.faults[len(before.faults) :]:
        log.error("ledger_rewritten", ledger=ledger.address, day=fault.day, detail=fault.detail)
    return ledger


def _pages(client: Client) -> Iterator[dict[str, Any]]:
    since = None
    for _ in range(MOST_PAGES):
        yield (page := client.ledger_roots(since))
        if (since := page["next"]) is None:
            return
    raise ValueError("the list of roots has no end")


def _rows(client: Client, root: Root) -> Iterator[str]:
    """The rows under a root as lines of an export, at most so many that the end of one that is too long is missing."""
    last = min(root.last_seq, root.first_seq + MOST_ROWS)
    for first in range(root.first_seq, last + 1, 500):
        page = client.ledger(first, min(500, last + 1 - first))
        yield from (line("row", entry) for entry in page["entries"])
        if not page["entries"]:
            return
