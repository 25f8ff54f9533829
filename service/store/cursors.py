"""Cursors: where a page of a list ends, as an opaque text that is valid for the same list alone."""

from __future__ import annotations

import json
import math
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from service.errors import FieldError, InvalidRequest

LONGEST = 256
ID = re.compile("[!-~]{1,96}")  # PostgreSQL takes no NUL in a text


class PageKey(NamedTuple):
    """The place of a row in the order of a list: the value it is sorted by, and its id."""

    value: int | float
    id: str


def write(scope: str, key: PageKey) -> str:
    """The cursor after a row; `scope` names the list with everything that selects and sorts it."""
    text = json.dumps([_digest(scope), *key], separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read(scope: str, cursor: str) -> PageKey:
    """The key in a cursor of the same list; raises InvalidRequest for any other text."""
    try:
        digest, value, id = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError):
        raise _invalid() from None
    is_number = type(value) in (int, float) and math.isfinite(value) and abs(value) < 2**63
    if digest != _digest(scope) or not is_number or not (isinstance(id, str) and ID.fullmatch(id)):
        raise _invalid()
    return PageKey(value, id)


def following(scope: str, keys: Sequence[PageKey], limit: int) -> str | None:
    """The cursor after `limit` rows, where `keys` has the key of one row more; None on the last page."""
    return write(scope, keys[limit - 1]) if len(keys) > limit else None


def _digest(scope: str) -> str:
    return sha256(scope.encode()).hexdigest()[:8]


def _invalid() -> InvalidRequest:
    message = "must be the `next` of a page of the same list: same filters, same order"
    return InvalidRequest("The cursor is not valid.", [FieldError("cursor", message)])
