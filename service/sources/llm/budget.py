"""What language models may cost in a day: reserved before a call, settled after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Protocol

from service.sources.llm.failures import NotAsked

USED_UP = "today's budget for language models is used up"


class Spending(Protocol):
    """What was spent, by UTC day; kept where every process that spends sees it."""

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        """Add to a day (YYYY-MM-DD) at one stroke, less where it is negative; the totals of the day after that."""
        ...


class SpendingInMemory:
    """The spending of this process alone, forgotten when it ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._days: dict[str, tuple[int, float]] = {}

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        with self._lock:
            before = self._days.get(day, (0, 0.0))
            self._days[day] = (before[0] + tokens, before[1] + usd)
            # A call may end on the day after it began.
            for old in sorted(self._days)[:-2]:
                del self._days[old]
            return before[0] + tokens, before[1] + usd


@dataclass(frozen=True)
class Reserved:
    """What a call may cost at most, set aside on the day it began."""

    day: str
    tokens: int
    usd: float


class Budget:
    """The cap of a UTC day, for many threads; `tokens` and `usd` are None where there is none.

    `now` is the wall clock in unix seconds. The day's total stays under the cap as long as no call costs more than
    was set aside for it: calls that together would pass it are refused, even where one of them alone would fit.
    """

    def __init__(self, tokens: int | None, usd: float | None, spending: Spending, now: Callable[[], float]) -> None:
        self._tokens = tokens
        self._usd = usd
        self._spending = spending
        self._now = now

    def reserve(self, tokens: int, usd: float) -> Reserved:
        """Set aside what a call may cost; NotAsked where that is more than is left of the day."""
        reserved = Reserved(datetime.fromtimestamp(self._now(), UTC).date().isoformat(), tokens, usd)
        all_tokens, all_usd = self._spending.add(reserved.day, tokens, usd)
        if self._is_over(all_tokens, all_usd):
            self.settle(reserved, 0, 0.0)
            raise NotAsked(USED_UP)
        return reserved

    def settle(self, reserved: Reserved, tokens: int, usd: float) -> None:
        """Replace what was set aside by what the call did cost."""
        self._spending.add(reserved.day, tokens - reserved.tokens, usd - reserved.usd)

    def _is_over(self, tokens: int, usd: float) -> bool:
        return (self._tokens is not None and tokens > self._tokens) or (self._usd is not None and usd > self._usd)
