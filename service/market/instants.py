"""Instants as unix seconds and as text; everything is UTC."""

from __future__ import annotations

from datetime import UTC, datetime

MINUTE = 60
HOUR = 3600
DAY = 86400


def utc(time: int) -> datetime:
    """The aware UTC datetime of a unix second."""
    return datetime.fromtimestamp(time, UTC)


def iso(time: int) -> str:
    """ISO 8601 to the second: `2026-12-31T23:59:59Z`."""
    return utc(time).strftime("%Y-%m-%dT%H:%M:%SZ")


def unix(text: str) -> int:
    """The unix second of an instant in ISO 8601."""
    return int(datetime.fromisoformat(text).timestamp())
