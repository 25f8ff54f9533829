"""The slots of jobs as pure functions of time. A slot is a unix second, so daylight saving does not move it.

`slot_at` of a schedule is the latest slot at or before the unix second `now`, `shortest_s` the least distance of two
slots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from service.market.instants import DAY
from service.market.months import month_start


@dataclass(frozen=True)
class Every:
    """A slot every `seconds`, counted from 1970, `offset` seconds later."""

    seconds: int
    offset: int = 0

    @property
    def shortest_s(self) -> int:
        return self.seconds

    def slot_at(self, now: int) -> int:
        return (now - self.offset) // self.seconds * self.seconds + self.offset


@dataclass(frozen=True)
class Daily:
    """One slot a day, `offset` seconds after midnight UTC."""

    offset: int = 0
    shortest_s: ClassVar[int] = DAY

    def slot_at(self, now: int) -> int:
        return Every(DAY, self.offset).slot_at(now)


@dataclass(frozen=True)
class Monthly:
    """One slot a month, `offset` seconds after midnight UTC of its first day."""

    offset: int = 0
    shortest_s: ClassVar[int] = 28 * DAY

    def slot_at(self, now: int) -> int:
        return month_start(now - self.offset) + self.offset


Schedule = Every | Daily | Monthly
