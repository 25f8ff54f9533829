"""The contexts that follow from bars, computed once for all jobs of an hour, which see the same bars."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from service.forecasting.voters.context import Context, build_all
from service.market.bars import Bars, equal


class ContextMemory:
    """Holds the bars seen last with their contexts; those with headlines are not held, because new ones may arrive."""

    def __init__(self) -> None:
        self._hourly: Mapping[str, Bars] = {}
        self._contexts: dict[str, Context] = {}
        self._lock = Lock()

    def of(self, hourly: Mapping[str, Bars], slot: int) -> dict[str, Context]:
        """The contexts of bars that were all complete at the world second `slot`, without inputs of headlines."""
        with self._lock:
            if not _are_equal(hourly, self._hourly):
                self._hourly, self._contexts = hourly, build_all(hourly, slot)
            return self._contexts


def _are_equal(hourly: Mapping[str, Bars], others: Mapping[str, Bars]) -> bool:
    return hourly.keys() == others.keys() and all(equal(bars, others[asset]) for asset, bars in hourly.items())
