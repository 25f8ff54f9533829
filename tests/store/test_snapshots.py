"""The published prices, read back from their document."""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import UTC, datetime

import pytest

from service.documents import Document, DocumentHeader
from service.market.prices import AssetPrice, PricesDocument, Rate
from service.store import snapshots

BODY = b'{"lanes":[],"schema":"bot-battle/1"}' * 20


def save(database, as_of: int, body: bytes) -> snapshots.Snapshot:
    with database.writing() as db:
        return snapshots.save_snapshot(db, "battle", as_of, body)


def latest(database) -> snapshots.Snapshot | None:
    with database.reading() as db:
        return snapshots.latest_snapshot(db, "battle")


def test_there_is_no_document_before_the_first_run(database):
    assert latest(database) is None


def test_a_document_is_served_as_it_lies(database):
    snapshot = save(database, 300, BODY)
    assert latest(database) == snapshot
    assert snapshot.body == BODY
    assert snapshot.etag == hashlib.sha256(BODY).hexdigest()[:32]
    assert gzip.decompress(snapshot.gzip) == BODY
    assert snapshots.zstd.decompress(snapshot.zstd) == BODY


def test_the_same_bytes_have_the_same_tag_in_every_process(database):
    assert save(database, 300, BODY)[2:] == save(database, 600, BODY)[2:]


def test_a_document_is_only_replaced_by_a_later_one(database):
    save(database, 300, b"first")
    save(database, 600, b"second")
    save(database, 300, b"late")
    assert latest(database).body == b"second"
    save(database, 600, b"made again")
    assert latest(database).body == b"made again"


def test_a_published_document_is_stored_as_its_json(database):
    header = DocumentHeader(
        "2027-01-15T08:00:00Z", "2027-01-15T08:00:00Z", "2027-01-15T08:15:00Z", "live", {"btc": "x"}
    )
    with database.writing() as db:
        snapshots.publish(db, 300, {"battle": Document(schema="battle/1", **vars(header))})
    assert list(json.loads(latest(database).body).items())[:2] == [
        ("schema", "battle/1"),
        ("timestamp", header.timestamp),
    ]


BTC = AssetPrice("btc", "Bitcoin", 50_500.0, 1.25, 51_000.0, 49_000.0, True, "2026-11-28T01:00:00Z", "simulated")


@pytest.fixture
def prices_document(database) -> PricesDocument:
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


def test_they_come_back_as_they_were_published(database, prices_document):
    with database.reading() as db:
        assert snapshots.latest_prices(db) == prices_document
        assert snapshots.prices_by_asset(snapshots.latest_prices(db)) == {"btc": BTC}


def test_before_the_first_tick_there_are_none(database):
    with database.reading() as db:
        assert (snapshots.latest_prices(db), snapshots.prices_by_asset(snapshots.latest_prices(db))) == (None, {})


NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_before_the_first_run_there_are_none(database):
    with database.reading() as db:
        assert snapshots.latest_rates(db) == {}


def test_the_latest_rates_are_read_as_they_were_stored(database):
    """Those that were read earlier do not replace them."""
    later, earlier = {"EUR": Rate(1.1, "kraken EUR/USD", NOON), "JPY": Rate(0.0066)}, {"EUR": Rate(1.2)}
    with database.writing() as db:
        snapshots.publish(db, 2_000, {snapshots.RATES: later})
        snapshots.publish(db, 1_000, {snapshots.RATES: earlier})
        assert snapshots.latest_rates(db) == later
