"""The market as a sequence of moments, one for every bar that ended after a given instant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

import numpy as np

from service.market.bars import Bar, Bars
from service.market.instants import DAY, HOUR
from service.trading.lanes.lane import LaneVote, Moment
from service.trading.lanes.readings import HourReading, readings
from service.trading.pools import Pool

Votes = Mapping[int, Mapping[str, LaneVote]]


def moments(
    hours: Mapping[str, Bars], marks: Mapping[str, Bars], after: int, *, votes: Votes, pools: Mapping[str, Pool]
) -> Iterator[Moment]:
    """Every instant at which an asset has a bar that was complete after the unix second `after`, oldest first.

    `hours` are the complete one-hour bars of each asset, always from the same first one on; `marks` the shortest bars
    of this world, of an hour or less and all of one step, at least those that ended after `after`. `votes` maps the
    end of an hour to the pool's forecasts of that hour; every moment has the same `pools`.
    """
    histories = {asset: _ReadingHistory(bars, after) for asset, bars in hours.items()}
    hour, rows = -1, {}
    for as_of, bars in _instants(marks, after):
        if as_of // HOUR != hour:
            hour = as_of // HOUR
            rows = {asset: row for asset, history in histories.items() if (row := history.at(as_of))}
        step = as_of - next(iter(bars.values())).time
        yield Moment(as_of, step, bars, rows, votes.get(hour * HOUR, {}), pools)


class _ReadingHistory:
    """The readings of one asset from the last one that was complete at the unix second `after` on."""

    def __init__(self, hours: Bars, after: int) -> None:
        before = hours.until(after)
        self._rows = readings(hours, int(before.time[-1]) if len(before) else 0)
        self._ends = [row.time + HOUR for row in self._rows]

    def at(self, instant: int) -> HourReading | None:
        """The reading of the last hour that was complete at `instant`."""
        place = bisect_right(self._ends, instant)
        return self._rows[place - 1] if place else None


def _instants(marks: Mapping[str, Bars], after: int) -> Iterator[tuple[int, dict[str, Bar]]]:
    """(as_of, bars) of each instant; computed day by day, so that a year is never in memory at once."""
    filled = {asset: bars.since(after - bars.step + 1) for asset, bars in marks.items()}
    filled = {asset: bars for asset, bars in filled.items() if len(bars)}
    if not filled:
        return
    start = min(int(bars.time[0]) for bars in filled.values())
    end = max(bars.as_of for bars in filled.values())
    for day in range(start, end, DAY):
        yield from sorted(_by_instant(filled, day).items())


def _by_instant(marks: Mapping[str, Bars], day: int) -> dict[int, dict[str, Bar]]:
    """The bars that open within 24 h of the unix second `day`, by the instant they are complete and by asset."""
    instants: dict[int, dict[str, Bar]] = {}
    for asset, bars in marks.items():
        first, last = np.searchsorted(bars.time, (day, day + DAY)).tolist()
        for row in bars[first:last].rows():
            instants.setdefault(row[0] + bars.step, {})[asset] = Bar(*row)
    return instants
