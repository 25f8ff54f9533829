"""World time: the present instant in the market of this world."""

from __future__ import annotations

from dataclasses import dataclass

from service.documents import World


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
