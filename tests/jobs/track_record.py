"""What tests of the track record read: the documents, the ledger and the markets of a running service."""

from __future__ import annotations

import json
from collections.abc import Callable

from service.forecasting.predictions import Prediction
from service.ledger.chain import ChainEntry
from service.ledger.verifier import Verification, verify
from service.market.instants import HOUR
from service.store import ledger, predictions, snapshots
from tests.running_service import START, RunningService

SLOT = START - START % HOUR
END = SLOT + 48 * HOUR


def read(service: RunningService, query: Callable, *arguments, **options):
    """What the database of a service says."""
    with service.runtime.database.reading() as db:
        return query(db, *arguments, **options)


def document(service: RunningService, name: str) -> dict:
    return json.loads(read(service, snapshots.latest_snapshot, name).body)


def rows(service: RunningService, kind: str | None = None, subject: str | None = None) -> list[ChainEntry]:
    return read(service, ledger.entries, 1, 10**6, kind=kind, subject=subject)


def settled(service: RunningService, backfilled: bool) -> dict[str, Prediction]:
    markets = read(service, predictions.settled_predictions)
    return {market.id: market for market in markets if market.category != "answer" and market.backfilled == backfilled}


def opened(service: RunningService) -> dict[str, bool]:
    """The markets that nothing has settled yet, and whether they are of the past."""
    return {market.id: market.backfilled for market in read(service, predictions.unresolved_predictions)}


def verified(service: RunningService, **options) -> Verification:
    return read(service, lambda db: verify(ledger.export(db), **options))
