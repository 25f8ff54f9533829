"""The arena at the end of the last complete block of decisions, from which a job process carries it on."""

from __future__ import annotations

from collections.abc import Mapping

from service.jobs.memory import same_bars
from service.market.bars import Bars
from service.trading.accounts import TERMS, AccountTerms
from service.trading.arena import Arena, advance, block_start, end_of, unused_arena


class ArenaMemory:
    """Gives the arena after any hourly bars, and computes again only what comes after the last complete block.

    The first time, and where an older bar has changed, all blocks are computed.
    """

    def __init__(self, terms: AccountTerms = TERMS) -> None:
        self._terms = terms
        self._hours: Mapping[str, Bars] = {}
        self._arena = unused_arena(0, terms)  # after these hours

    def after(self, hours: Mapping[str, Bars]) -> Arena:
        """The arena after these complete one-hour bars, anchored at the first of them."""
        anchor = min((int(bars.time[0]) for bars in hours.values() if len(bars)), default=0)
        if anchor != self._arena.anchor or not same_bars(_until(hours, self._arena.as_of), self._hours):
            self._arena, self._hours = unused_arena(anchor, self._terms), {}
        complete_hours = _until(hours, block_start(anchor, end_of(hours, anchor)))
        self._arena, self._hours = advance(self._arena, complete_hours), complete_hours
        return advance(self._arena, hours)


def _until(hours: Mapping[str, Bars], instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in hours.items()}
