"""The hourly bars of the assets in memory, so that a job reads only the newest ones, however long the past is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from sqlalchemy import Connection

from service.market.bars import Bars, join
from service.market.instants import HOUR
from service.store import bars


@dataclass(frozen=True)
class _Read:
    """The bars of an asset from the unix second `since` on, as they were at a revision."""

    since: int
    revision: int
    bars: Bars


class HourlyBars:
    """Gives the hourly bars that `bars.load` gives, and reads again only those that may have changed."""

    def __init__(self) -> None:
        self._read: dict[str, _Read] = {}
        self._lock = Lock()

    def load(self, db: Connection, since: Mapping[str, int], until: int) -> dict[str, Bars]:
        """The bars that open at the unix second `since` of their asset, or later, and are complete at `until`."""
        with self._lock:
            read = {asset: self._renewed(db, asset, first, until) for asset, first in since.items()}
        return {asset: series.since(since[asset]).until(until) for asset, series in read.items()}

    def _renewed(self, db: Connection, asset: str, since: int, until: int) -> Bars:
        revision, read = bars.revision(db, asset), self._read.get(asset)
        if read is None or read.revision != revision or since < read.since or not len(read.bars):
            read = _Read(since, revision, bars.load(db, asset, since, until, HOUR))
        else:
            kept = read.bars.until(min(until, read.bars.as_of) - bars.CHANGING_S)
            newest = bars.load(db, asset, kept.as_of if len(kept) else read.since, until, HOUR)
            read = _Read(read.since, revision, join([kept, newest]))
        self._read[asset] = read
        return read.bars
