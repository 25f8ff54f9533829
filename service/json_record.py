"""Dataclasses that are stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any, Self

from pydantic import TypeAdapter

adapter = cache(TypeAdapter)


class JsonRecord:
    """A dataclass, of others and plain values, that JSON carries without loss."""

    def to_plain(self) -> dict[str, Any]:
        """The dict of all fields."""
        return asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The record of which `plain` is the dict; what it does not know is left out. Raises ValueError."""
        return adapter(cls).validate_python(plain)
