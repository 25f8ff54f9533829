"""The daily budget of language models: the maximum cost is reserved before a call, the real cost is booked after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Protocol

from service.sources.llm.failures import NotAsked

USED_UP = "today's budget for language models is used up"


class Spending(Protocol):
    """The spending of each UTC day, shared by all processes."""

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        """Add to the totals of a day (YYYY-MM-DD) atomically and return the new totals; amounts may be negative."""
        ...


class SpendingInMemory:
    """The spending of this process only; it is lost when the process ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._days: dict[str, tuple[int, float]] = {}

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        with self._lock:
            before = self._days.get(day, (0, 0.0))
            self._days[day] = (before[0] + tokens, before[1] + usd)
            # Keep two days, because a call may end on the day after it began.
            for old in sorted(self._days)[:-2]:
                del self._days[old]
            return before[0] + tokens, before[1] + usd


@dataclass(frozen=True)
class Reserved:
    """The maximum cost of a call, reserved on the day it began."""

    day: str
    tokens: int
    usd: float


class Budget:
    """The spending limit of a UTC day, safe for threads; `tokens` or `usd` is None where there is no limit.

    `now` is the wall clock in unix seconds. The day's total stays within the limit as long as no call costs more than
    its reservation. Concurrent calls that together exceed the limit may all be refused, even if one of them would fit.
    """

    def __init__(self, tokens: int | None, usd: float | None, spending: Spending, now: Callable[[], float]) -> None:
        self._tokens = tokens
        self._usd = usd
        self._spending = spending
        self._now = now

    def reserve(self, tokens: int, usd: float) -> Reserved:
        """Reserve the maximum cost of a call; raises NotAsked where it exceeds the rest of the day's budget."""
        reserved = Reserved(datetime.fromtimestamp(self._now(), UTC).date().isoformat(), tokens, usd)
        all_tokens, all_usd = self._spending.add(reserved.day, tokens, usd)
        if self._is_over(all_tokens, all_usd):
            self.settle(reserved, 0, 0.0)
            raise NotAsked(USED_UP)
        return reserved

    def settle(self, reserved: Reserved, tokens: int, usd: float) -> None:
        """Replace the reservation with the real cost of the call."""
        self._spending.add(reserved.day, tokens - reserved.tokens, usd - reserved.usd)

    def _is_over(self, tokens: int, usd: float) -> bool:
        return (self._tokens is not None and tokens > self._tokens) or (self._usd is not None and usd > self._usd)
