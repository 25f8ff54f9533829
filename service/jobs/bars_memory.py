"""What follows from hourly bars alone, computed once for all jobs that see the same bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from service.market.bars import Bars, equal

T = TypeVar("T")


class BarsMemory(Generic[T]):
    """Holds the bars seen last with what was computed from them."""

    def __init__(self, compute: Callable[[Mapping[str, Bars]], T]) -> None:
        self._compute = compute
        self._held: tuple[Mapping[str, Bars], T] | None = None
        self._lock = Lock()

    def of(self, hourly: Mapping[str, Bars]) -> T:
        """What follows from these bars."""
        with self._lock:
            if self._held is None or not are_equal(hourly, self._held[0]):
                self._held = hourly, self._compute(hourly)
            return self._held[1]


def are_equal(hourly: Mapping[str, Bars], others: Mapping[str, Bars]) -> bool:
    """Whether both hold the same bars of the same assets."""
    return hourly.keys() == others.keys() and all(equal(bars, others[asset]) for asset, bars in hourly.items())
