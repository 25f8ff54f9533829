"""The published document of prices, read back; one is parsed once."""

from __future__ import annotations

from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.market.prices import AssetPrice, PricesDocument
from service.store import snapshots
from service.store.snapshots import Snapshot

_DOCUMENT = TypeAdapter(PricesDocument)


def latest(db: Connection) -> PricesDocument | None:
    """The last published prices; None before the first tick."""
    snapshot = snapshots.latest(db, "prices")
    return read(snapshot) if snapshot else None


@lru_cache(maxsize=2)
def read(snapshot: Snapshot) -> PricesDocument:
    """The document in a snapshot."""
    return _DOCUMENT.validate_json(snapshot.body)


def by_asset(document: PricesDocument | None) -> dict[str, AssetPrice]:
    """The price of each asset; empty without a document."""
    return {price.asset: price for price in document.prices} if document else {}
