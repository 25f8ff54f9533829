"""Parsers of numbers, instants and lists in the responses of outside markets; None if a value is missing or invalid."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import isfinite
from typing import Any

LONGEST_NUMBER = 60


def number(value: Any) -> float | None:
    """A finite number, given as a JSON number or as a string."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > LONGEST_NUMBER:
        return None
    try:
        parsed = float(value)
    except (ValueError, OverflowError):
        return None
    return parsed if isfinite(parsed) else None


def price(value: Any) -> float | None:
    """A bid or ask as a probability; None for 0 and 1, which mean that there is no order."""
    parsed = number(value)
    return parsed if parsed is not None and 0 < parsed < 1 else None


def instant(value: Any) -> int | None:
    """The unix second of an ISO 8601 instant; without an offset it is UTC."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value)
        return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def listed(value: Any) -> list[Any]:
    """The list that a string holds as JSON; empty if there is none."""
    if not isinstance(value, str):
        return []
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return parsed if isinstance(parsed, list) else []


def text(value: Any) -> str:
    """The value if it is a string, otherwise an empty string."""
    return value if isinstance(value, str) else ""
