"""The whole ledger as lines of JSON: every row in its order, then every root."""

from __future__ import annotations

from typing import Any

from service import canonical
from service.ledger.chain import Entry
from service.ledger.roots import Root

# What a line holds, by its field `type`.
KINDS: dict[str, type[Entry] | type[Root]] = {"row": Entry, "root": Root}


def line(type_: str, told: dict[str, Any]) -> str:
    """A row or a root as a line, without the end of it."""
    return canonical.write({"type": type_, **told})


def read(text: str) -> Entry | Root:
    """The row or the root of a line; ValueError when it is none, or not in the one form that is written here."""
    try:
        told = canonical.read(text)
        if canonical.write(told) != text:
            raise ValueError("not in canonical form")
        return KINDS[told.pop("type")](**told)
    except (AttributeError, KeyError, TypeError, RecursionError):
        raise ValueError("neither a row nor a root") from None
