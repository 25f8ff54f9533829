"""A circuit breaker: whoever fails again and again is left alone for a while, then tried once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from service.sources.llm.failures import ModelFailed, NotAsked

FAILURES = 3  # in a row, after which it opens
SHORTEST_S = 30.0
LONGEST_S = 600.0


class Breaker:
    """One voter's breaker, for many threads; `timer` is a monotonic clock in seconds.

    Every opening and closing begins another era: what a call that was let through in an earlier one comes to does
    not count, so that twenty calls which fail together open it once.
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
        """Let a call through and take note of how it ends; NotAsked where it is not let through.

        Only ModelFailed counts as a failure. Any other exception says nothing of the model.
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
                raise NotAsked(f"failed {FAILURES} times in a row and is asked again in {math.ceil(left)} s")
            if self._on_trial:
                raise NotAsked(f"failed {FAILURES} times in a row and is being tried again")
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
