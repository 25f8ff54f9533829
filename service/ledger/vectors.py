"""Test vectors of the ledger's protocol: made-up rows, their root and a proof, with every text hashed or signed.

Whoever writes a verifier in another language checks it against them before it reads a ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from service.ledger import chain, proofs, roots
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.commitments import commitment
from service.ledger.proofs import Proof
from service.ledger.roots import Root

# Each step is a sentence that a verifier can be written from.
PROTOCOL = (
    "A text is the JSON of RFC 8785 (JCS) of an object, as bytes in UTF-8. A hash is a SHA-256 in lower-case hex.",
    "Row: `hash` is the hash of the text of all other fields of the row. A row whose `form` is null is from a version"
    " before: of it `form` is left out, and numbers are written as Python's json.dumps does (95.0, 5.4e-05).",
    "Chain: rows are numbered from 1 without a gap; `previous` is the `hash` of the row before, 64 zeros for the "
    "first. `recorded_at` never decreases, except where a `correction` has `body.rewound_to` equal to its "
    "`recorded_at`.",
    "Tree: the leaves are the hashes of the rows `first_seq` to `last_seq`, as 32 bytes. The tree of one leaf is the "
    "SHA-256 of a zero byte and the leaf. The tree of n > 1 leaves is the SHA-256 of a byte 1, the tree of the first "
    "k and the tree of the rest; k is the largest power of two below n (RFC 6962).",
    "Root: `root` is that tree in hex and `head` the hash of row `last_seq`. The first root begins at row 1 with "
    "`previous` empty; each other one begins after the row where the root before ends, and `previous` is its `root`.",
    "Signature: the Ed25519 signature by `key` of the text of the fields `day`, `first_seq`, `last_seq`, `root`, "
    "`head`, `previous` and `signed_at`; `key` and `signature`, both in hex, are not signed.",
    "Key: every root is signed by the key of the root before, unless a row of the kind `handover` between the two "
    "names its successor: `body.signature` is that of `body.key_before` over the text of `key_before`, `key` and "
    "`previous`, where `previous` is that of the row.",
    "Commitment: `body.commitment` of a `forecast` row is the hash of the text of `market`, `forecaster` (the "
    "subject), `p_yes` and `salt`, which a `reveal` row shows when the market is settled.",
    "Export: a line for each row, then one for each root and one for each timestamp: the text of the object with `type`"
    " (`row`, `root` or `timestamp`) added; of rows without a form as above.",
    "Timestamp: `token` is the response of an RFC 3161 authority in base64, `stamped_at` its time; it is of the line of"
    " the root of `day`, without its end. A time more than an hour before `signed_at` of the root, or more than a day"
    " after it, does not count. `openssl ts -verify -data LINE -in TOKEN -CAfile CERTIFICATES` verifies it.",
)
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
