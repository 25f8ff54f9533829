"""API keys: `nf_live_<8 hex id>_<43 base62 secret>_<8 hex crc32>`.

The id finds the row, the secret proves the caller, the checksum lets a mistyped key be refused without asking
the database. Only the HMAC of a key is ever stored, so neither the database nor a backup of it holds a key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import string
import zlib

from service.errors import InvalidKey

ID_BYTES = 4
SECRET_BYTES = 32
DIGITS = string.digits + string.ascii_letters
SECRET_DIGITS = 43  # the fewest base62 digits that hold 256 bits
SHAPE = re.compile(rf"(nf_live_([0-9a-f]{{8}})_[0-9A-Za-z]{{{SECRET_DIGITS}}})_([0-9a-f]{{8}})")
# The hash with which a key of an unknown id is compared: no HMAC is all zeros, so nothing matches it.
NOBODY = "0" * 64


def mint(identity: bytes, secret: bytes) -> str:
    """A key out of `identity` (4 random bytes, or those of the key being rotated) and `secret` (32 random bytes)."""
    if len(identity) != ID_BYTES or len(secret) != SECRET_BYTES:
        raise ValueError("a key is made of 4 and 32 bytes")
    body = f"nf_live_{identity.hex()}_{_base62(int.from_bytes(secret))}"
    return f"{body}_{_checksum(body)}"


def key_id(key: str) -> str:
    """The id inside a well-formed key; anything else is an InvalidKey, which does not repeat it."""
    match = SHAPE.fullmatch(key)
    if match is None or _checksum(match[1]) != match[3]:
        raise InvalidKey("The API key is not valid.")
    return match[2]


def digest(key: str, secret: bytes) -> str:
    """What is stored of a key: HMAC-SHA256 under the service's secret, 64 hex digits."""
    return hmac.new(secret, key.encode(), hashlib.sha256).hexdigest()


def matches(key: str, stored: str, secret: bytes) -> bool:
    """Whether `stored` is the digest of this key, in the same time whatever the answer."""
    return hmac.compare_digest(digest(key, secret), stored)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _base62(number: int) -> str:
    digits = []
    for _ in range(SECRET_DIGITS):
        number, digit = divmod(number, len(DIGITS))
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))
