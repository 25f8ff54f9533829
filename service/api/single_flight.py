"""Single flight: callers with the same question share one run while it lasts and for some minutes after.

It is for answers that cost money. Each process shares its own runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

KEPT_S = 180.0

T = TypeVar("T")


class Abandoned(Exception):
    """The leader of the run is gone without an outcome; another caller may lead a new one."""


@dataclass(frozen=True)
class _Run(Generic[T]):
    outcome: Future[T]
    begun_at: float


class SingleFlight(Generic[T]):
    """The runs of the last minutes, by key; `now` is the wall clock in unix seconds."""

    def __init__(self, now: Callable[[], float], kept_s: float = KEPT_S) -> None:
        self._now, self._kept_s = now, kept_s
        self._runs: dict[Hashable, _Run[T]] = {}
        self._lock = Lock()

    @contextmanager
    def join(self, key: Hashable) -> Iterator[tuple[Future[T], bool]]:
        """The outcome of the run of `key`, and whether the caller leads it and must set the outcome in this context.

        The outcome fails for all callers with the leader's exception, or with Abandoned when the leader leaves the
        context without one; such a run is removed.
        """
        outcome, is_leader = self._find_or_begin(key)
        if not is_leader:
            yield outcome, False
            return
        try:
            yield outcome, True
        except Exception as error:
            self._fail(key, outcome, error)
            raise
        finally:
            self._fail(key, outcome, Abandoned())

    def _find_or_begin(self, key: Hashable) -> tuple[Future[T], bool]:
        with self._lock:
            self._forget()
            run = self._runs.get(key)
            if run is not None:
                return run.outcome, False
            run = self._runs[key] = _Run(Future(), self._now())
            return run.outcome, True

    def _fail(self, key: Hashable, outcome: Future[T], error: Exception) -> None:
        if outcome.done():
            return
        with self._lock:
            self._runs.pop(key, None)
        outcome.set_exception(error)

    def _forget(self) -> None:
        """Remove runs that are over and old; one in progress stays, however long it takes."""
        old = self._now() - self._kept_s
        over = [key for key, run in self._runs.items() if run.begun_at <= old and run.outcome.done()]
        for key in over:
            del self._runs[key]
