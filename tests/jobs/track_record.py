"""What tests of the track record read: the documents, the ledger and the markets of a running service."""

from __future__ import annotations

import json

from service.forecasting.predictions import Prediction
from service.ledger.chain import ChainEntry
from service.market.instants import HOUR
from service.store import ledger, predictions, snapshots
from tests.running_service import START, RunningService

SLOT = START - START % HOUR
END = SLOT + 48 * HOUR


def document(service: RunningService, name: str) -> dict:
    with service.runtime.database.reading() as db:
        return json.loads(snapshots.latest_snapshot(db, name).body)


def rows(service: RunningService, kind: str | None = None) -> list[ChainEntry]:
    with service.runtime.database.reading() as db:
        return ledger.entries(db, 1, 10**6, kind=kind)


def settled(service: RunningService, backfilled: bool) -> dict[str, Prediction]:
    with service.runtime.database.reading() as db:
        return {
            market.id: market
            for market in predictions.settled_predictions(db)
            if market.category != "answer" and market.backfilled == backfilled
        }


def opened(service: RunningService) -> dict[str, bool]:
    """The markets that nothing has settled yet, and whether they are of the past."""
    with service.runtime.database.reading() as db:
        return {market.id: market.backfilled for market in predictions.unresolved_predictions(db)}
