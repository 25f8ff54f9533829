"""One run for identical questions: who asks while it is being answered waits, who asks soon after gets the same.

It is for answers that cost money. Each process shares its own.
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
    """Whoever made the run has gone away; somebody else may make it."""


@dataclass(frozen=True)
class _Run(Generic[T]):
    outcome: Future[T]
    begun_at: float


class Sharing(Generic[T]):
    """The runs of the last minutes, by what was asked; `now` is the wall clock in unix seconds."""

    def __init__(self, now: Callable[[], float], kept_s: float = KEPT_S) -> None:
        self._now, self._kept_s = now, kept_s
        self._runs: dict[Hashable, _Run[T]] = {}
        self._lock = Lock()

    def join(self, key: Hashable) -> tuple[Future[T], bool]:
        """What comes of the run of `key`, and whether it is yours to make, within `making`.

        It fails for everybody who waits as it failed for its maker, and with Abandoned when its maker went away.
        """
        with self._lock:
            self._forget()
            run = self._runs.get(key)
            if run is not None:
                return run.outcome, False
            run = self._runs[key] = _Run(Future(), self._now())
            return run.outcome, True

    @contextmanager
    def making(self, key: Hashable, outcome: Future[T]) -> Iterator[None]:
        """Make the run that `join` gave, and set its result; what has none at the end is forgotten."""
        try:
            yield
        except Exception as error:
            self._fail(key, outcome, error)
            raise
        finally:
            self._fail(key, outcome, Abandoned())

    def _fail(self, key: Hashable, outcome: Future[T], error: Exception) -> None:
        if outcome.done():
            return
        with self._lock:
            self._runs.pop(key, None)
        outcome.set_exception(error)

    def _forget(self) -> None:
        """Runs that are over and old; one that is still being made stays, however long it takes."""
        old = self._now() - self._kept_s
        over = [key for key, run in self._runs.items() if run.begun_at <= old and run.outcome.done()]
        for key in over:
            del self._runs[key]
