"""The stored prices of every asset up to an instant, read when a question names past ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from service.market.bars import Bars, PriceExtremes
from service.market.instants import HOUR
from service.store import bars, coverage


@dataclass(frozen=True)
class StoredHistory:
    """The bars that were complete at the world second `now`; those of the feed are `step` seconds long."""

    reading: Callable[[], AbstractContextManager[Connection]]
    step: int
    now: int

    def record(self, asset: str) -> PriceExtremes | None:
        """The highest and the lowest price of an asset since its history has no gap; None without one."""
        with self.reading() as db:
            stored = coverage.histories(db, (asset,), self.step, self.now).get(asset)
            return bars.record(db, asset, self.step, (stored and stored.since) or 0)

    def hourly(self, asset: str, since: datetime) -> Bars:
        """The complete hourly bars of an asset that open at `since` or later."""
        with self.reading() as db:
            return bars.load(db, asset, int(since.timestamp()), self.now, HOUR)
