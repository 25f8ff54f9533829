"""Test vectors of the protocol, against which a verifier in another language is checked before it reads a ledger."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from service.ledger import chain, proofs, roots
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.commitments import commitment
from service.ledger.proofs import Proof
from service.ledger.roots import Root

# Each step is a sentence that a verifier can be written from.
PROTOCOL = tuple(Path(__file__).with_name("protocol.txt").read_text(encoding="utf-8").splitlines())
SEED, SUCCESSOR = bytes(range(32)), bytes(range(32, 64))
DAY = "2026-11-21"
NUMBERS = {"whole": 95.0, "small": 5.4e-05, "tiny": 1e-7, "large": 1e21, "share": 0.1, "negative": -0.0, "none": None}
SALT = "000102030405060708090a0b0c0d0e0f"


@dataclass(frozen=True)
class RowVector:
    """A row and the text that its hash is of."""

    row: ChainEntry
    text: str


@dataclass(frozen=True)
class CommitmentVector:
    """A forecast, its salt and the hash that commits to both."""

    market: str
    forecaster: str
    p_yes: float
    salt: str
    commitment: str


@dataclass(frozen=True)
class Vectors:
    """Rows of one day with a hand-over, their root with the text that is signed, a proof and a commitment."""

    rows: tuple[RowVector, ...]
    lines: tuple[str, ...]
    root: Root
    root_text: str
    proof: Proof
    commitment: CommitmentVector


@cache
def vectors() -> Vectors:
    """The test vectors, always the same."""
    market, forecaster, p_yes = "daily-btc-up-20261122", "f" * 32, 0.62
    promise = commitment(market, forecaster, p_yes, SALT)
    first = [
        LedgerRow("odds", market, NUMBERS, backfilled=True),
        LedgerRow("question", market, {"\u20ac": "d\u00eda\u2028\n", "\U0001f600": 1, "\ufb33": 2}, backfilled=False),
        LedgerRow("forecast", forecaster, {"market": market, "commitment": promise}, backfilled=False),
    ]
    entries = list(chain.chained(first, f"{DAY}T12:00:00Z", None))
    handover = roots.handover_row(SEED, SUCCESSOR, entries[-1].hash)
    entries += chain.chained([handover], f"{DAY}T13:00:00Z", entries[-1])
    hashes = [entry.hash for entry in entries]
    root = roots.sign(hashes, day=DAY, first_seq=1, root_before="", signed_at="2026-11-22T00:05:00Z", seed=SUCCESSOR)
    lines = [*(chain.line("row", vars(entry)) for entry in entries), chain.line("root", vars(root))]
    return Vectors(
        rows=tuple(RowVector(entry, chain.hashed_text(entry)) for entry in entries),
        lines=tuple(lines),
        root=root,
        root_text=roots.signed_text(root),
        proof=proofs.prove(entries[2], root, hashes),
        commitment=CommitmentVector(market, forecaster, p_yes, SALT, promise),
    )
