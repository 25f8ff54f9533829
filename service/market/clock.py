"""World time: the instant at which the market of this world stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

World = Literal["simulated", "replay", "live"]


@dataclass(frozen=True)
class WorldClock:
    """World time as a line through wall time, in unix seconds.

    World time was `world_origin` when the wall showed `wall_origin`, runs `speed` times as fast, and stands
    still at `ends` (None: it never ends). In the simulated and the live world it is the wall clock itself.
    World time orders the market; quotas follow the wall.
    """

    world: World
    world_origin: int = 0
    wall_origin: int = 0
    speed: float = 1.0
    ends: int | None = None

    def at(self, wall: float) -> int:
        """World time, in whole unix seconds, when the wall shows `wall`."""
        time = self.world_origin + (wall - self.wall_origin) * self.speed
        return int(time) if self.ends is None else min(int(time), self.ends)

    def has_ended(self, time: int) -> bool:
        """Whether this world's data has run out at the world second `time`."""
        return self.ends is not None and time >= self.ends
