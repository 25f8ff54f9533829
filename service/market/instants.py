"""Instants as unix seconds and as text, all of them in UTC, and world time: the present in the market of this world."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from service.documents import World

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
    """The unix second of an instant in ISO 8601, in UTC where it has no offset. Raises ValueError or OverflowError."""
    instant = datetime.fromisoformat(text)
    return int((instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp())


@dataclass(frozen=True)
class WorldClock:
    """World time as a linear function of wall time, in unix seconds.

    World time is `world_origin` when the wall time is `wall_origin`, runs `speed` times as fast, and stops at `ends`
    (None: it never ends). In the simulated and the live world both times are equal. The market uses world time; quotas
    use wall time.
    """

    world: World
    world_origin: int = 0
    wall_origin: int = 0
    speed: float = 1.0
    ends: int | None = None

    def at(self, wall: float) -> int:
        """World time, in whole unix seconds, at the wall time `wall`."""
        time = self.world_origin + (wall - self.wall_origin) * self.speed
        return int(time) if self.ends is None else min(int(time), self.ends)

    def has_ended(self, time: int) -> bool:
        """Whether this world's data has run out at the world second `time`."""
        return self.ends is not None and time >= self.ends
