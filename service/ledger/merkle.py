"""The Merkle tree of RFC 6962 over the rows of a day: a few hashes prove that one row is in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Step:
    """A neighbour on the path from a leaf to the root: its side and its hash."""

    side: Side
    hash: str


def root(leaves: Sequence[str]) -> str:
    """The root over one or more leaves. Leaves and root are hashes in hex."""
    *_, (top,) = _levels(leaves)
    return top.hex()


def path(leaves: Sequence[str], index: int) -> tuple[Step, ...]:
    """The neighbours on the path from the leaf at `index` (0 is the first) to the root."""
    steps = []
    for level in _levels(leaves):
        neighbour = index ^ 1
        if neighbour < len(level):
            steps.append(Step("left" if neighbour < index else "right", level[neighbour].hex()))
        index //= 2
    return tuple(steps)


def sides(index: int, size: int) -> Iterator[Side]:
    """The sides of these neighbours in a tree of `size` leaves."""
    while size > 1:
        neighbour = index ^ 1
        if neighbour < size:
            yield "left" if neighbour < index else "right"
        index, size = index // 2, (size + 1) // 2


def climb(leaf: str, steps: Sequence[Step]) -> str:
    """The root at the end of the path. Raises ValueError when a hash is not hex."""
    node = _leaf(leaf)
    for step in steps:
        neighbour = bytes.fromhex(step.hash)
        node = _node(neighbour, node) if step.side == "left" else _node(node, neighbour)
    return node.hex()


def _levels(leaves: Sequence[str]) -> Iterator[list[bytes]]:
    """The levels of the tree from its leaves to its root; the last node of an odd number moves up unchanged."""
    level = [_leaf(leaf) for leaf in leaves]
    yield level
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_node(*pair) for pair in pairs] + (level[-1:] if len(level) % 2 else [])
        yield level


def _leaf(leaf: str) -> bytes:
    return hashlib.sha256(b"\x00" + bytes.fromhex(leaf)).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
