"""The interface of a feed, the bars of one world from any source, and the bars of another coin brought up to date."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from service.errors import SourceFailed
from service.market.bars import Bars, CoinBars, RefusedBar, merge, with_silent_bars
from service.market.instants import DAY, HOUR, World, WorldClock
from service.market.prices import Rates


class AssetUnlisted(SourceFailed):
    """Every source that answered lacks the asset."""


@dataclass(frozen=True)
class FetchedBars:
    """The valid bars of one asset in one window, and the `refused` ones, for the caller to count and log.

    `source` describes where the bars came from and names substitutes: "kraken PAXG/USD (tokenised gold)". `fault` is
    why bars that are missing may still come, empty where every source answered.
    """

    bars: Bars
    refused: tuple[RefusedBar, ...]
    source: str
    fault: str = ""


class CoinFeed(Protocol):
    """The bars of other coins, which are fetched only where a question needs them."""

    def list_coins(self) -> frozenset[str]:
        """The keys of all coins that can be fetched. Raises SourceFailed if no list could be read."""
        ...

    def fetch(self, asset: str, since: int, until: int, step: int | None = None, seconds: float = 0.0) -> FetchedBars:
        """As `Feed.fetch`, within so many seconds in all; 0 stands for the time limit of the feed."""
        ...


class Feed(Protocol):
    """The bars of one world.

    `step` is the length of its bars in seconds. `fingerprint` is equal for feeds with the same history; the database
    stores it, so that two histories never mix. `history_from` is the unix second, in world time, of the first bar to
    store. `assets` may have bars in this world; those of other coins come from `coins`, None where there are none.
    """

    world: ClassVar[World]

    @property
    def step(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def history_from(self) -> int: ...

    @property
    def assets(self) -> tuple[str, ...]: ...

    @property
    def coins(self) -> CoinFeed | None: ...

    def clock(self, wall: int) -> WorldClock:
        """The clock of a world whose first start is at the unix second `wall` of the wall clock."""
        ...

    def fetch(self, asset: str, since: int, until: int, step: int | None = None) -> FetchedBars:
        """The bars of `asset` that open at or after `since` and are complete by `until`, both unix seconds.

        They are as long as those of the feed, or `step` seconds, a multiple of that. There are no bars in hours in
        which the asset does not trade, nor in gaps of the source; a window without any bar is a valid result. Raises
        SourceFailed if the source fails, and its AssetUnlisted if this world does not have the asset.
        """
        ...

    def rates(self) -> Rates:
        """The present USD prices of currencies; those without a quote are missing.

        A world without a market of currencies has assumed ones. Raises SourceFailed if the source cannot be asked.
        """
        ...


HISTORY_S = 200 * DAY  # of hourly bars: the level of the variance is that of 180 days
CAUGHT_UP_S = 7 * DAY  # after a longer pause the fine bars begin anew
GAPS_CHECKED_S = 2 * DAY


def extend(feed: CoinFeed, key: str, history: CoinBars, now: int, seconds: float) -> CoinBars:
    """The stored bars with those complete at the unix second `now`, fetched in so many seconds; raises SourceFailed."""
    deadline = time.monotonic() + seconds
    since, source = _since(history.feed, now), ""
    hourly, until = history.hourly, since // HOUR * HOUR
    if not len(hourly) or hourly.as_of < until:
        start = max(hourly.as_of if len(hourly) else 0, until - HISTORY_S)
        past = feed.fetch(key, start, until, HOUR, seconds)
        hourly, source = merge(hourly, past.bars), past.source
    answer = feed.fetch(key, since, now, history.feed.step, max(0.1, deadline - time.monotonic()))
    short_bars = with_silent_bars(merge(history.feed, answer.bars))
    return CoinBars(hourly, short_bars, source or answer.source or history.source)


def _since(short_bars: Bars, now: int) -> int:
    """The unix second from which fine bars are missing: the first gap of the last days, else the end of the last bar.

    Without bars of the last week they begin an hour before the present one.
    """
    if not len(short_bars) or short_bars.as_of < now - CAUGHT_UP_S:
        return now // HOUR * HOUR - HOUR
    recent = short_bars.since(now - GAPS_CHECKED_S)
    gaps = np.flatnonzero(np.diff(recent.time) > short_bars.step)
    return int(recent.time[gaps[0]]) + short_bars.step if len(gaps) else short_bars.as_of
