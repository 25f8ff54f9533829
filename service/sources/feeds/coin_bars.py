"""Brings the bars of another coin up to date."""

from __future__ import annotations

import time

import numpy as np

from service.market.bars import Bars, merge, with_silent_bars
from service.market.coin_bars import CoinBars
from service.market.instants import DAY, HOUR
from service.sources.feeds.feed import CoinFeed

HISTORY_S = 200 * DAY  # of hourly bars: the level of the variance is that of 180 days
CAUGHT_UP_S = 7 * DAY  # after a longer pause the fine bars begin anew
GAPS_CHECKED_S = 2 * DAY


def extend(feed: CoinFeed, key: str, stored: CoinBars, now: int, seconds: float) -> CoinBars:
    """The stored bars with those that were complete at the unix second `now`, fetched within so many seconds.

    Raises SourceFailed if the source fails.
    """
    deadline = time.monotonic() + seconds
    since, source = _since(stored.fine, now), ""
    hourly, until = stored.hourly, since // HOUR * HOUR
    if not len(hourly) or hourly.as_of < until:
        begin = max(hourly.as_of if len(hourly) else 0, until - HISTORY_S)
        past = feed.fetch(key, begin, until, HOUR, seconds)
        hourly, source = merge(hourly, past.bars), past.source
    fresh = feed.fetch(key, since, now, stored.fine.step, max(0.1, deadline - time.monotonic()))
    fine = with_silent_bars(merge(stored.fine, fresh.bars))
    return CoinBars(hourly, fine, source or fresh.source or stored.source)


def _since(fine: Bars, now: int) -> int:
    """The unix second from which fine bars are missing: the first gap of the last days, else the end of the last bar.

    Without bars of the last week they begin an hour before the present one.
    """
    if not len(fine) or fine.as_of < now - CAUGHT_UP_S:
        return now // HOUR * HOUR - HOUR
    recent = fine.since(now - GAPS_CHECKED_S)
    gaps = np.flatnonzero(np.diff(recent.time) > fine.step)
    return int(recent.time[gaps[0]]) + fine.step if len(gaps) else fine.as_of
