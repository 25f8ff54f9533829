"""The whole ledger as JSON lines: every row in order, then every root."""

from __future__ import annotations

from typing import Any

from service import canonical
from service.ledger.chain import ChainEntry
from service.ledger.roots import Root

# The content of a line by its field `type`.
KINDS: dict[str, type[ChainEntry] | type[Root]] = {"row": ChainEntry, "root": Root}


def line(type_: str, fields: dict[str, Any]) -> str:
    """A row or a root as a line, without the line end."""
    return canonical.write({"type": type_, **fields})


def read(text: str) -> ChainEntry | Root:
    """The row or the root of a line. Raises ValueError when it is neither, or not in canonical form."""
    try:
        fields = canonical.read(text)
        if canonical.write(fields) != text:
            raise ValueError("not in canonical form")
        return KINDS[fields.pop("type")](**fields)
    except (AttributeError, KeyError, TypeError, RecursionError):
        raise ValueError("neither a row nor a root") from None
