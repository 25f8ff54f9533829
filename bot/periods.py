"""The periods that charts can show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.languages import english

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


def start(as_of: str, period: str) -> str | None:
    """The first instant of the period that ends at `as_of`, in the API's format; None for all time."""
    if period not in LENGTHS:
        return None
    return (datetime.fromisoformat(as_of) - LENGTHS[period]).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
