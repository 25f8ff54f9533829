"""The arena at the end of the last complete block of decisions, from which a job process carries it on."""

from __future__ import annotations

from collections.abc import Mapping

from service.jobs.memory import same_bars
from service.market.bars import Bars
from service.trading.arena import Arena, advance, block_start, end_of, unused_arena


class ArenaMemory:
    """Gives the arena after any hourly bars, and computes again only what comes after the last complete block.

    The first time, and where an older bar has changed, all blocks are computed.
    """

    def __init__(self, anchor: int) -> None:
        self._anchor = anchor
        self._hours: Mapping[str, Bars] = {}
        self._arena = unused_arena(anchor)  # after these hours

    def after(self, hours: Mapping[str, Bars]) -> Arena:
        """The arena after these complete one-hour bars since its anchor."""
        if not same_bars(_until(hours, self._arena.as_of), self._hours):
            self._arena, self._hours = unused_arena(self._anchor), {}
        complete_hours = _until(hours, block_start(self._anchor, end_of(hours, self._anchor)))
        self._arena, self._hours = advance(self._arena, complete_hours), complete_hours
        return advance(self._arena, hours)


def _until(hours: Mapping[str, Bars], instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in hours.items()}
