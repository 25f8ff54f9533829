"""When slots fall, as pure functions of time. A slot is a unix second, UTC: daylight saving never moves it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Every:
    """A slot every `seconds`, counted from 1970, `offset` seconds later."""

    seconds: int
    offset: int = 0

    def slot_at(self, now: int) -> int:
        return (now - self.offset) // self.seconds * self.seconds + self.offset


@dataclass(frozen=True)
class Daily:
    """A slot a day, `offset` seconds after midnight UTC."""

    offset: int = 0

    def slot_at(self, now: int) -> int:
        return Every(86400, self.offset).slot_at(now)


@dataclass(frozen=True)
class Monthly:
    """A slot a month, `offset` seconds after midnight UTC of its first day."""

    offset: int = 0

    def slot_at(self, now: int) -> int:
        moment = datetime.fromtimestamp(now - self.offset, UTC)
        first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return int(first.timestamp()) + self.offset


Schedule = Every | Daily | Monthly


def slot_at(schedule: Schedule, now: int) -> int:
    """The latest slot at or before the unix second `now`: never a future one."""
    return schedule.slot_at(now)
