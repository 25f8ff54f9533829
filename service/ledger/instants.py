"""Instants in the bodies of ledger rows: ISO 8601 in new rows, unix seconds in rows of the first edition."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

# The fields of bodies that hold unix seconds where the rows are made.
FIELDS = frozenset(
    ("created_at", "closes_at", "deadline", "voted_at", "as_of", "fitted_at", "fetched_at", "resolved_at", "at", "time")
)


def with_iso_instants(body: dict[str, Any]) -> dict[str, Any]:
    """The body with its unix seconds as `2026-12-31T23:59:59Z`, in nested objects too."""
    return {name: _value(name, value) for name, value in body.items()}


def instant_of(value: int | str) -> datetime:
    """The instant in a body, as it was written by any version."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else datetime.fromisoformat(value)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return with_iso_instants(value)
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return [with_iso_instants(each) for each in value]
    if name in FIELDS and isinstance(value, int):
        return instant_of(value).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value
