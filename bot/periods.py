"""The periods that charts can show, and the part of a curve within one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.languages import english

Points = Sequence[Mapping[str, Any]]

ALL_TIME = "all"
LENGTHS = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
PERIODS = (*LENGTHS, ALL_TIME)
# At the end of a sentence: "+2.1% in 7 days".
WORDS = {
    "24h": english("in 24 hours"),
    "7d": english("in 7 days"),
    "30d": english("in 30 days"),
    ALL_TIME: english("since the start"),
}


def start(as_of: str, period: str, longest: timedelta | None = None) -> str | None:
    """The first instant of the period that ends at `as_of`, in the API's format; None for all without a `longest`."""
    length = LENGTHS.get(period, longest)
    if length is None:
        return None
    return (datetime.fromisoformat(as_of) - length).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def change_pct(before: float, after: float) -> float:
    """The change from one amount to another, in percent of the first."""
    return 100 * (after / before - 1)
