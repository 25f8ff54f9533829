"""Numbers, instants and lists as outside answers write them; None where one is not told or makes no sense."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import isfinite
from typing import Any

LONGEST_NUMBER = 60


def number(value: Any) -> float | None:
    """A finite number, written as one or as a string."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > LONGEST_NUMBER:
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None


def price(value: Any) -> float | None:
    """A probability that somebody bids or asks: 0 and 1 stand for nobody."""
    found = number(value)
    return found if found is not None and 0 < found < 1 else None


def instant(value: Any) -> int | None:
    """The unix second of an ISO 8601 instant; without an offset it is UTC."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def listed(value: Any) -> list[Any]:
    """The list that is written as JSON inside a string; empty where there is none."""
    if not isinstance(value, str):
        return []
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def text(value: Any) -> str:
    """A string as it stands; empty of anything else."""
    return value if isinstance(value, str) else ""
