"""The published prices, read back from their document."""

from __future__ import annotations

import pytest

from service.market.prices import AssetPrice, PricesDocument
from service.store import snapshots

BTC = AssetPrice("btc", "Bitcoin", 50_500.0, 1.25, 51_000.0, 49_000.0, True, "2026-11-28T01:00:00Z", "simulated")


@pytest.fixture
def published(database) -> PricesDocument:
    document = PricesDocument(
        schema="prices/1",
        timestamp="2026-11-28T01:00:00Z",
        as_of="2026-11-28T01:00:00Z",
        stale_after="2026-11-28T01:15:00Z",
        world="simulated",
        ended=False,
        count=1,
        sources={"btc": "simulated"},
        prices=(BTC,),
    )
    with database.writing() as db:
        snapshots.publish(db, 1000, {"prices": document})
    return document


def test_they_come_back_as_they_were_published(database, published):
    with database.reading() as db:
        assert snapshots.latest_prices(db) == published
        assert snapshots.prices_by_asset(snapshots.latest_prices(db)) == {"btc": BTC}


def test_before_the_first_tick_there_are_none(database):
    with database.reading() as db:
        assert (snapshots.latest_prices(db), snapshots.prices_by_asset(snapshots.latest_prices(db))) == (None, {})
