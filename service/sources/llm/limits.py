"""What bounds the use of language models: a daily budget, a breaker for models that fail, and turns at computing."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Protocol

from service.errors import SourceFailed

# The reasons of the two errors are published. They never quote a provider's response, because it may contain a part of
# the key or text injected into the model.


class ModelFailed(SourceFailed):
    """The model received a request and gave no usable answer.

    Its reason is short and begins with a verb whose subject is the engine. `may_cost` is true if the model may have
    started to answer, so the provider may charge an unknown number of tokens.
    """

    def __init__(self, reason: str, *, may_cost: bool = False) -> None:
        super().__init__(reason)
        self.may_cost = may_cost


class NotAsked(SourceFailed):
    """No request was sent to the model; the subject of the reason is the engine."""


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
            self._days[day] = before[0] + tokens, before[1] + usd
            return self._days[day]


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
        reservation = Reserved(datetime.fromtimestamp(self._now(), UTC).date().isoformat(), tokens, usd)
        all_tokens, all_usd = self._spending.add(reservation.day, tokens, usd)
        has_tokens = self._tokens is None or all_tokens <= self._tokens
        if not has_tokens or (self._usd is not None and all_usd > self._usd):
            self.settle(reservation, 0, 0.0)
            raise NotAsked(USED_UP)
        return reservation

    def settle(self, reservation: Reserved, tokens: int, usd: float) -> None:
        """Replace the reservation with the real cost of the call."""
        self._spending.add(reservation.day, tokens - reservation.tokens, usd - reservation.usd)


FAILURES = 3  # consecutive failures after which it opens
SHORTEST_S = 30.0
LONGEST_S = 600.0


class Breaker:
    """The circuit breaker of one voter, safe for threads; `timer` is a monotonic clock in seconds.

    A new era begins whenever the breaker opens or closes. The result of a call that started in an earlier era is
    ignored, so 20 calls that fail together open the breaker only once.
    """

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._lock = Lock()
        self._era = 0
        self._failures = 0
        self._pause = 0.0  # 0 while it is closed
        self._rests_until = 0.0
        self._on_trial = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Admit a call and record its result; raises NotAsked while the breaker is open.

        Only ModelFailed counts as a failure. Other exceptions are no evidence about the model.
        """
        era, answers = self._admit(), None
        try:
            yield
            answers = True
        except ModelFailed:
            answers = False
            raise
        finally:
            self._conclude(era, answers)

    def _admit(self) -> int:
        with self._lock:
            if not self._pause:
                return self._era
            left = self._rests_until - self._timer()
            if left > 0:
                raise NotAsked(f"failed {FAILURES} times in a row; the next attempt is in {math.ceil(left)} s")
            if self._on_trial:
                raise NotAsked(f"failed {FAILURES} times in a row; a new attempt is in progress")
            self._on_trial = True
            return self._era

    def _conclude(self, era: int, answers: bool | None) -> None:
        """Record whether the model answers; None where the call does not show it."""
        with self._lock:
            if era != self._era:
                return
            is_trial, self._on_trial = self._on_trial, False
            if answers is None:
                return
            self._failures = 0 if answers else self._failures + 1
            opens = not answers and (is_trial or self._failures >= FAILURES)
            if opens:
                self._failures = 0
                self._pause = min(LONGEST_S, 2 * self._pause or SHORTEST_S)
                self._rests_until = self._timer() + self._pause
            elif answers:
                self._pause = 0.0
            if is_trial or opens:
                self._era += 1


# Python runs one thread at a time. When many answers arrive at once, many threads are ready to run, and a short request
# has to wait for all of them. A thread of a model therefore computes only while it has one of a few turns; it gives its
# turn back while it waits for a server, and takes the next free one afterwards.
AT_ONCE = 2

_turns = threading.BoundedSemaphore(AT_ONCE)
_thread = threading.local()


@contextmanager
def computing() -> Iterator[None]:
    """Have a turn, once one is free."""
    with _turns:
        _thread.has_turn = True
        try:
            yield
        finally:
            _thread.has_turn = False


@contextmanager
def waiting() -> Iterator[None]:
    """Give the turn of this thread, if it has one, to others for the time of the block."""
    if not getattr(_thread, "has_turn", False):
        yield
        return
    _turns.release()
    try:
        yield
    finally:
        _turns.acquire()
