"""A ledger of two rows, sealed with a key that anybody knows: what a reader of the docs may check by hand."""

from __future__ import annotations

from service.api.ledger_documents import (
    WHAT_IT_PROVES,
    LedgerEntry,
    LedgerHead,
    LedgerPage,
    LedgerProof,
    LedgerRoots,
    Place,
)
from service.ledger import proofs, roots
from service.ledger.chain import Row, chained

SUBJECT = "daily-btc-up-20261121"
QUESTION, VOTES = chained(
    (
        Row("question", SUBJECT, {"question": "Will Bitcoin (btc) be higher on 2026-11-22 00:00 UTC?"}, False),
        Row("votes", SUBJECT, {"p": 0.4872, "votes": {"momentum": 0.4914, "vol": 0.4851}}, False),
    ),
    "2026-11-21T00:05:00Z",
    None,
)
HASHES = (QUESTION.hash, VOTES.hash)
ROOT = roots.sign(
    HASHES,
    day="2026-11-21",
    first_seq=1,
    previous="",
    signed_at="2026-11-22T00:05:00Z",
    seed=bytes(32),
)

PAGE = LedgerPage(
    schema="ledger/1",
    world="simulated",
    count=2,
    head=Place(VOTES.seq, VOTES.hash, VOTES.recorded_at),
    next=None,
    entries=(QUESTION, VOTES),
)
HEAD = LedgerHead(
    schema="ledger-head/1",
    world="simulated",
    seq=VOTES.seq,
    hash=VOTES.hash,
    recorded_at=VOTES.recorded_at,
    unsealed=0,
    roots=1,
    public_key=ROOT.key,
    algorithm=roots.ALGORITHM,
    what_it_proves=WHAT_IT_PROVES,
)
ENTRY = LedgerEntry(schema="ledger-entry/1", world="simulated", entry=VOTES, sealed_by=ROOT.day)
PROOF = LedgerProof(schema="ledger-proof/1", world="simulated", **vars(proofs.prove(VOTES, ROOT, HASHES)))
ROOTS = LedgerRoots(schema="ledger-roots/1", world="simulated", count=1, next=None, roots=(ROOT,))
