"""The daily root, signed over the rows since the previous root, and the hand-over from one signing key to the next.

A hand-over is a row of the ledger that the key before has signed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.ledger import merkle
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
    fields = {
        "day": day,
        "first_seq": first_seq,
        "last_seq": first_seq + len(hashes) - 1,
        "root": merkle.root(hashes),
        "head": hashes[-1],
        "previous": root_before,
        "signed_at": signed_at,
    }
    private = Ed25519PrivateKey.from_private_bytes(seed)
    signature = private.sign(text(fields).encode())
    return Root(**fields, key=private.public_key().public_bytes_raw().hex(), signature=signature.hex())


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
    """The text that the signature of a root is of."""
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
