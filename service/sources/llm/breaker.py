"""A circuit breaker: after repeated failures a voter is skipped for a while, then tried once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from service.sources.llm.failures import ModelFailed, NotAsked

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

        Only ModelFailed counts as a failure. Other exceptions are not evidence about the model.
        """
        era = self._admit()
        try:
            yield
        except ModelFailed:
            self._failed(era)
            raise
        except BaseException:
            self._undecided(era)
            raise
        self._succeeded(era)

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

    def _failed(self, era: int) -> None:
        with self._lock:
            if era != self._era:
                return
            self._failures += 1
            if self._on_trial or self._failures >= FAILURES:
                self._pause = min(LONGEST_S, 2 * self._pause or SHORTEST_S)
                self._rests_until = self._timer() + self._pause
                self._begin_era()

    def _succeeded(self, era: int) -> None:
        with self._lock:
            if era != self._era:
                return
            self._pause = 0.0
            if self._on_trial:
                self._begin_era()
            self._failures = 0

    def _undecided(self, era: int) -> None:
        with self._lock:
            if era == self._era:
                self._on_trial = False

    def _begin_era(self) -> None:
        self._era += 1
        self._failures = 0
        self._on_trial = False
