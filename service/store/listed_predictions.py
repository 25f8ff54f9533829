"""All markets and challenges; what is settled never changes, so a job process keeps it in memory."""

from __future__ import annotations

from threading import Lock

from sqlalchemy import Connection

from service.forecasting.predictions import Prediction
from service.store import ledger, predictions


class ListedPredictions:
    """Gives what `predictions.listed` gives, and reads again only what was not settled at the last time."""

    def __init__(self) -> None:
        self._settled: dict[str, Prediction] = {}
        self._read_until: int | None = None  # the row of the ledger
        self._lock = Lock()

    def load(self, db: Connection) -> list[Prediction]:
        """All markets and challenges by deadline, settled or not; the votes of settled ones are without reasoning."""
        with self._lock:
            # In this order, so that one that is settled meanwhile is read twice and not missed.
            unresolved = predictions.unresolved(db)
            until = ledger.last_seq(db)
            self._settled |= {market.id: market for market in self._newly(db, until) if market.settlement}
            self._read_until = until
            rest = [market for market in unresolved if market.id not in self._settled]
            return sorted([*self._settled.values(), *rest], key=lambda market: (market.deadline, market.id))

    def _newly(self, db: Connection, until: int) -> list[Prediction]:
        """Those that were settled since the last time; at the first time all."""
        if self._read_until is None:
            return predictions.listed(db)
        ids = ledger.subjects(db, "resolution", self._read_until, until)
        return predictions.by_ids(db, ids, with_reasoning=False) if ids else []
