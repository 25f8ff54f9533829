"""Instants as unix seconds and as text; everything is UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

MINUTE = 60
HOUR = 3600
DAY = 86400


def utc(time: int) -> datetime:
    """The aware UTC datetime of a unix second."""
    return datetime.fromtimestamp(time, UTC)


@lru_cache(maxsize=10_000)  # a page repeats its instants
def iso(time: int) -> str:
    """ISO 8601 to the second: `2026-12-31T23:59:59Z`."""
    return utc(time).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_all(times: NDArray[np.int64]) -> list[str]:
    """`iso` of unix seconds, shape (n,), which is much faster for thousands."""
    return np.datetime_as_string(times.astype("datetime64[s]"), timezone="UTC").tolist()


def unix(text: str) -> int:
    """The unix second of an instant in ISO 8601."""
    return int(datetime.fromisoformat(text).timestamp())
