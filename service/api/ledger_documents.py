"""What the ledger's addresses answer with."""

from __future__ import annotations

from dataclasses import dataclass

from service.ledger.chain import ChainEntry
from service.ledger.proofs import Proof
from service.ledger.roots import Root
from service.market.clock import World

WHAT_IT_PROVES = (
    "Each row holds the hash of the row before it, and once a day the new rows are put under a signed root. Whoever "
    "kept a hash or a root can show that no row up to it was changed, removed, added or moved since then. It does not "
    "prove when a row was written: recorded_at is this service's own word. Nor does it prove that no second ledger is "
    "kept and shown to others, and it does not bind the rows that are not sealed yet. For the first two a root must "
    "lie where this service cannot reach it: keep the roots yourself, publish them or have them timestamped; that "
    "shows every row under them to be at least that old."
)


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
    """Rows of the ledger, oldest first; `next` is the `since` of the following page, null after the last.

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
