"""What the ledger's addresses answer with."""

from __future__ import annotations

from dataclasses import dataclass

from service.ledger.chain import ChainEntry
from service.ledger.merkle import Step
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
class LedgerPage:
    """Rows of the ledger, oldest first; `next` is the `since` of the following page, null after the last.

    `head` is null on a page that has a next one, because such a page never changes.
    """

    schema: str
    world: World
    count: int
    head: Place | None
    next: int | None
    entries: tuple[ChainEntry, ...]


@dataclass(frozen=True)
class LedgerHead:
    """Where the ledger stands: its last row (null before the first), the rows under no root yet, its public key."""

    schema: str
    world: World
    seq: int | None
    hash: str | None
    recorded_at: str | None
    unsealed: int
    roots: int
    public_key: str | None
    algorithm: str
    what_it_proves: str


@dataclass(frozen=True)
class LedgerEntry:
    """One row, and the day whose root seals it, null before that."""

    schema: str
    world: World
    entry: ChainEntry
    sealed_by: str | None


@dataclass(frozen=True)
class LedgerProof:
    """That a row lies under a signed root: it is the leaf `leaf_index` of `tree_size`, and `path` leads up from it."""

    schema: str
    world: World
    entry: ChainEntry
    leaf_index: int
    tree_size: int
    path: tuple[Step, ...]
    root: Root


@dataclass(frozen=True)
class LedgerRoots:
    """The signed roots, oldest first; `next` is the `since` of the following page, null after the last."""

    schema: str
    world: World
    count: int
    next: str | None
    roots: tuple[Root, ...]
