"""The daily root, signed over the rows since the previous root, and the hand-over from one signing key to the next.

A hand-over is a row of the ledger that the key before has signed. A root is that of the Merkle tree of RFC 6962 over
the rows of a day: a few hashes prove that one row is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.ledger.chain import ChainEntry, LedgerRow, text

ALGORITHM = "Ed25519"


@dataclass(frozen=True)
class Root:
    """The seal of the rows from `first_seq` to `last_seq`.

    `root` is the root of the RFC 6962 tree over their hashes, `head` the hash of the last row, `previous` the root of
    the previous seal ("" for the first). `signature` is by the public `key`, over the JSON of RFC 8785 of all
    fields before `key`.
    """

    day: str
    first_seq: int
    last_seq: int
    root: str
    head: str
    previous: str
    signed_at: str
    key: str
    signature: str


def sign(hashes: Sequence[str], *, day: str, first_seq: int, root_before: str, signed_at: str, seed: bytes) -> Root:
    """The root over the rows with these hashes, the first of them `first_seq`; `seed` is the private key."""
    last_seq, root = first_seq + len(hashes) - 1, tree_root(hashes)
    unsigned = Root(day, first_seq, last_seq, root, hashes[-1], root_before, signed_at, public_key(seed), signature="")
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(signed_text(unsigned).encode())
    return replace(unsigned, signature=signature.hex())


def public_key(seed: bytes) -> str:
    """The public key of a private one, in hex."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def is_signed(root: Root) -> bool:
    """Whether the signature of the root matches its content and its key."""
    try:
        key, signature = _bytes(root.key), _bytes(root.signature)
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed_text(root).encode())
    except (ValueError, InvalidSignature):
        return False
    return True


def signed_text(root: Root) -> str:
    return text({name: value for name, value in vars(root).items() if name not in ("key", "signature")})


def _bytes(digits: object) -> bytes:
    """The bytes of a hex text. Raises ValueError unless it is in lower case."""
    if isinstance(digits, str) and (read := bytes.fromhex(digits)).hex() == digits:
        return read
    raise ValueError("not in lower-case hex")


SUBJECT = "ledger"


def handover_row(before: bytes, after: bytes, hash_before: str) -> LedgerRow:
    """The row by which the private key `before` names `after` as its successor; it follows the row with this hash."""
    keys = {"key_before": public_key(before), "key": public_key(after)}
    signature = Ed25519PrivateKey.from_private_bytes(before).sign(_signed(keys, hash_before))
    return LedgerRow("handover", SUBJECT, {**keys, "signature": signature.hex()}, backfilled=False)


def successor(entry: ChainEntry) -> tuple[str, str] | None:
    """The public keys before and after a hand-over; None where its signature is not by the key before."""
    body = entry.body
    try:
        keys = {"key_before": body["key_before"], "key": body["key"]}
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(keys["key_before"]))
        public.verify(bytes.fromhex(body["signature"]), _signed(keys, entry.previous))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return None
    return keys["key_before"], keys["key"]


def _signed(keys: dict[str, str], hash_before: str) -> bytes:
    """What is signed: both keys and the place in the chain."""
    return text({**keys, "previous": hash_before}).encode()


Side = Literal["left", "right"]


@dataclass(frozen=True)
class Step:
    """A neighbour on the path from a leaf to the root: its side and its hash."""

    side: Side
    hash: str


def tree_root(leaves: Sequence[str]) -> str:
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
