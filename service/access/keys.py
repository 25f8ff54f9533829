"""API keys, `nf_live_<8 hex id>_<43 base62 secret>_<8 hex crc32>`, and the e-mail addresses that register them.

The id finds the row, the secret proves the caller, the checksum lets a mistyped key be refused without asking
the database. Only the HMAC of a key is ever stored, so neither the database nor a backup of it holds a key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import string
import zlib

from service.errors import FieldError, InvalidKey, InvalidRequest

ID_BYTES = 4
SECRET_BYTES = 32
DIGITS = string.digits + string.ascii_letters
SECRET_DIGITS = 43  # the fewest base62 digits that hold 256 bits
SHAPE = re.compile(rf"(nf_live_([0-9a-f]{{8}})_[0-9A-Za-z]{{{SECRET_DIGITS}}})_([0-9a-f]{{8}})")
NOBODY = "0" * 64  # the hash with which a key of an unknown id is compared: no HMAC is all zeros, so nothing matches it


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


def matches(key: str, stored_digest: str, secret: bytes) -> bool:
    """Whether `stored_digest` is that of this key, in the same time whatever the answer."""
    return hmac.compare_digest(digest(key, secret), stored_digest)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _base62(number: int) -> str:
    digits = []
    for _ in range(SECRET_DIGITS):
        number, digit = divmod(number, len(DIGITS))
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


LONGEST_EMAIL = 254
# The address of HTML's `<input type=email>` (WHATWG, 4.10.5.1.5), with a dot in its domain. One pattern serves
# the description of the API, where other engines read it, and the check here.
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = rf"^[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+$"
EXPECTED = f"must be an email address of at most {LONGEST_EMAIL} characters, such as you@example.com"

# Domains of one provider, where the same name is the same mailbox, by the domain they are counted under.
ALIASES = {"googlemail.com": "gmail.com", "protonmail.com": "proton.me", "pm.me": "proton.me"}
# Providers that deliver you+anything to you, as their help pages say.
TAG_PROVIDERS = frozenset(
    {
        *("gmail.com", "proton.me", "icloud.com", "me.com", "mac.com"),
        *("outlook.com", "hotmail.com", "live.com", "msn.com"),
        *("fastmail.com", "fastmail.fm", "yandex.com", "yandex.ru", "ya.ru", "zoho.com", "hey.com"),
    }
)
FILLERS = {"gmail.com": ".", "proton.me": "._-"}  # characters of a name that the provider ignores


def normalised(email: str) -> str:
    """The spelling under which a mailbox is stored; raises InvalidRequest for what is not an email address.

    Lower case everywhere; for the providers above also without what they ignore. Mail to it still arrives.
    """
    if len(email) > LONGEST_EMAIL or not re.fullmatch(EMAIL, email):
        raise InvalidRequest("The email address is not valid.", [FieldError("email", EXPECTED)])
    name, _, domain = email.lower().partition("@")
    domain = ALIASES.get(domain, domain)
    if domain in TAG_PROVIDERS:
        name = name.partition("+")[0] or name
    bare = name.translate(str.maketrans("", "", FILLERS.get(domain, "")))
    return f"{bare or name}@{domain}"
