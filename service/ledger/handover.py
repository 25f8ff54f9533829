"""The hand-over from one signing key to the next: a row of the ledger that the key before has signed."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service import canonical
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.roots import public_key

SUBJECT = "ledger"


def handover_row(before: bytes, after: bytes, previous: str) -> LedgerRow:
    """The row by which the private key `before` names `after` as its successor; it follows the row with this hash."""
    keys = {"key_before": public_key(before), "key": public_key(after)}
    signature = Ed25519PrivateKey.from_private_bytes(before).sign(_signed(keys, previous))
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


def _signed(keys: dict[str, str], previous: str) -> bytes:
    """What is signed: both keys and the place in the chain."""
    return canonical.write({**keys, "previous": previous}).encode()
