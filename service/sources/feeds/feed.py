"""What a feed is: the bars of one world, whatever they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from service.market.bars import Bars, RefusedBar
from service.market.clock import World, WorldClock


@dataclass(frozen=True)
class Fetched:
    """What a feed gave for one asset and one window.

    `bars` are sound; `refused` are those that came and were not, for the caller to count and log; `source`
    says in words where the bars came from, stand-ins named as such: "kraken PAXG/USD (tokenised gold)".
    """

    bars: Bars
    refused: tuple[RefusedBar, ...]
    source: str


class Feed(Protocol):
    """The bars of one world.

    `step` is the length of its bars in seconds. `fingerprint` is equal for feeds that tell the same past: a
    database remembers it, so that two pasts never mix. `history_from` is the unix second, in world time, of
    the first bar to store. `assets` are the ones this world may have bars of.
    """

    world: World
    step: int
    fingerprint: str
    history_from: int
    assets: tuple[str, ...]

    def clock(self, wall: int) -> WorldClock:
        """The clock of a world that is started for the first time when the wall shows the unix second `wall`."""

    def fetch(self, asset: str, since: int, until: int) -> Fetched:
        """The bars of `asset` that open at or after `since` and are complete by `until`, both unix seconds.

        Hours in which the asset does not trade have no bars, nor have holes in the source: a window without
        any bar is an answer. SourceFailed when nothing can be said, and for an asset that is not of this world.
        """
