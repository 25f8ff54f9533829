"""That one row lies under a signed root, shown without the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.ledger import merkle
from service.ledger.chain import Entry, is_whole
from service.ledger.merkle import Step
from service.ledger.roots import Root, is_signed


@dataclass(frozen=True)
class Proof:
    """The way from a row, the leaf `leaf_index` (0 is the first) of `tree_size`, up to the root that seals it."""

    entry: Entry
    leaf_index: int
    tree_size: int
    path: tuple[Step, ...]
    root: Root


def prove(entry: Entry, root: Root, hashes: Sequence[str]) -> Proof:
    """The proof that `entry` lies under `root`, which seals the rows with these hashes."""
    index = entry.seq - root.first_seq
    return Proof(entry, index, len(hashes), merkle.path(hashes, index), root)


def read(told: Mapping[str, Any]) -> Proof:
    """A proof from its JSON, whatever else stands there; ValueError when there is none."""
    try:
        path = tuple(Step(**step) for step in told["path"])
        return Proof(Entry(**told["entry"]), told["leaf_index"], told["tree_size"], path, Root(**told["root"]))
    except (KeyError, TypeError):
        raise ValueError("no proof of a row") from None


def fault(proof: Proof, seq: int, key: str | None = None) -> str | None:
    """Why the proof of row `seq` does not hold, in a sentence; None when it does.

    `key` is the public key that the reader knows of; without one any key may have signed the root.
    """
    entry, root = proof.entry, proof.root
    try:
        if entry.seq != seq:
            return f"It is about row {entry.seq}, not about row {seq}."
        if not is_whole(entry):
            return f"Row {seq} is not what its hash was made of."
        if not _is_placed(proof):
            return f"The path is not that of row {seq} under the root of {root.day}."
        if merkle.climb(entry.hash, proof.path) != root.root:
            return f"The path from row {seq} does not lead to the root of {root.day}."
        if not is_signed(root):
            return f"The root of {root.day} is not signed by the key it names."
        if key is not None and root.key != key:
            return f"The root of {root.day} is signed by another key, {root.key}."
    except (TypeError, ValueError):
        return "It is no proof of a row."
    return None


def _is_placed(proof: Proof) -> bool:
    """Whether leaf, size and path are those that the row and the range of the root give."""
    root = proof.root
    index, size = proof.entry.seq - root.first_seq, root.last_seq - root.first_seq + 1
    if not 0 <= index < size or (proof.leaf_index, proof.tree_size) != (index, size):
        return False
    return [step.side for step in proof.path] == list(merkle.sides(index, size))
