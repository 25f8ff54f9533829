"""What a job process computes once for all jobs that see the same bars or calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq
from threading import Lock
from typing import Generic, TypeVar

from service.market.bars import Bars, equal

S = TypeVar("S")
T = TypeVar("T")


class Memory(Generic[S, T]):
    """Holds what was seen last with what was computed from it."""

    def __init__(self, compute: Callable[[S], T], are_equal: Callable[[S, S], bool] = eq) -> None:
        self._compute = compute
        self._are_equal = are_equal
        self._held: tuple[S, T] | None = None
        self._lock = Lock()

    def of(self, seen: S) -> T:
        """What follows from `seen`; neither may be changed afterwards."""
        with self._lock:
            if self._held is None or not self._are_equal(seen, self._held[0]):
                self._held = seen, self._compute(seen)
            return self._held[1]


def same_bars(hourly: Mapping[str, Bars], others: Mapping[str, Bars]) -> bool:
    """Whether both hold the same bars of the same assets."""
    return hourly.keys() == others.keys() and all(equal(bars, others[asset]) for asset, bars in hourly.items())
