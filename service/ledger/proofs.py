"""Proofs that a row is under a signed root, without the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.ledger.chain import ChainEntry, is_whole
from service.ledger.roots import Root, Step, climb, is_signed, path, sides


@dataclass(frozen=True)
class Proof:
    """The path from a row, the leaf `leaf_index` (0 is the first) of `tree_size`, to the root that seals it."""

    entry: ChainEntry
    leaf_index: int
    tree_size: int
    path: tuple[Step, ...]
    root: Root


def prove(entry: ChainEntry, root: Root, hashes: Sequence[str]) -> Proof:
    """The proof that `entry` is under `root`, which seals the rows with these hashes."""
    index = entry.seq - root.first_seq
    return Proof(entry, index, len(hashes), path(hashes, index), root)


def read(body: Mapping[str, Any]) -> Proof:
    """A proof from its JSON; further fields are ignored. Raises ValueError when a field is missing."""
    try:
        path = tuple(Step(**step) for step in body["path"])
        return Proof(ChainEntry(**body["entry"]), body["leaf_index"], body["tree_size"], path, Root(**body["root"]))
    except (KeyError, TypeError):
        raise ValueError("not a proof of a row") from None


def fault(proof: Proof, seq: int, key: str | None = None) -> str | None:
    """Why this does not prove row `seq`, as a sentence; None when it does.

    `key` is the public key that must have signed the root; None accepts any key.
    """
    entry, root = proof.entry, proof.root
    try:
        if entry.seq != seq:
            return f"The proof is about row {entry.seq}, not about row {seq}."
        if not is_whole(entry):
            return f"The hash of row {seq} does not match its content."
        index, size = seq - root.first_seq, root.last_seq - root.first_seq + 1
        is_leaf = 0 <= index < size and (proof.leaf_index, proof.tree_size) == (index, size)
        if not is_leaf or [step.side for step in proof.path] != list(sides(index, size)):
            return f"The path does not belong to row {seq} under the root of {root.day}."
        if climb(entry.hash, proof.path) != root.root:
            return f"The path from row {seq} does not lead to the root of {root.day}."
        if not is_signed(root):
            return f"The root of {root.day} is not signed by the key it names."
        if key is not None and root.key != key:
            return f"The root of {root.day} is signed by another key, {root.key}."
    except (TypeError, ValueError):
        return "This is not a proof of a row."
    return None
