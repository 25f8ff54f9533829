"""All markets and challenges as columns; what is settled never changes, so a job process keeps it in memory."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.columns import MarketColumns, columns_of, joined
from service.store import ledger, predictions


class Listed(NamedTuple):
    """The settled markets and challenges, whose votes are without reasoning, and the others."""

    settled: MarketColumns
    unsettled: list[Prediction]

    def columns(self) -> MarketColumns:
        """All of them."""
        return joined(self.settled, columns_of(self.unsettled))


class ListedMarkets:
    """Gives what `predictions.listed` lists, and reads again only what was not settled at the last time."""

    def __init__(self) -> None:
        self._settled = columns_of([])
        self._ids: set[str] = set()  # of the settled ones
        self._read_until: int | None = None  # the row of the ledger
        self._lock = Lock()

    def load(self, db: Connection) -> Listed:
        """All markets and challenges; the same object holds the settled ones until another one is settled."""
        with self._lock:
            # In this order, so that one that is settled meanwhile is read twice and not missed.
            unresolved = predictions.unresolved(db)
            until = ledger.last_seq(db)
            new = [market for market in self._newly(db, until) if market.settlement and market.id not in self._ids]
            if new:
                self._settled = joined(self._settled, columns_of(new))
                self._ids |= {market.id for market in new}
            self._read_until = until
            return Listed(self._settled, [market for market in unresolved if market.id not in self._ids])

    def _newly(self, db: Connection, until: int) -> list[Prediction]:
        """Those that were settled since the last time; at the first time all."""
        if self._read_until is None:
            return predictions.listed(db)
        ids = ledger.subjects(db, "resolution", self._read_until, until)
        return predictions.by_ids(db, ids, with_reasoning=False) if ids else []
