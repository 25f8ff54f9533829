"""The numbers that other sites embed are renewed with every bar, once all of them are there."""

from __future__ import annotations

import json

from sqlalchemy import delete

from service.jobs import apex
from service.market.instants import HOUR
from service.store import snapshots
from service.store.tables import snapshot
from tests.running_service import START, RunningService

SLOT = START // 300 * 300


def shown(house: RunningService, slot: int = SLOT) -> dict | None:
    """The document that the job publishes for a slot."""
    with house.runtime.database.writing() as db:
        db.execute(delete(snapshot).where(snapshot.c.name == "widget"))
    write = apex.publish_widget(house.engine.job_context, slot)
    with house.runtime.database.writing() as db:
        write(db)
        published = snapshots.latest_snapshot(db, "widget")
    return published and json.loads(published.body)


def test_it_waits_for_every_document_that_it_shows(house: RunningService):
    with house.runtime.database.writing() as db:
        assert apex.has_widget_documents(db, house.engine.job_context)
        db.execute(delete(snapshot).where(snapshot.c.name == "ai-vs-market"))
        assert not apex.has_widget_documents(db, house.engine.job_context)


def test_it_joins_price_call_and_scores_as_stored(house: RunningService):
    document = shown(house)
    with house.runtime.database.reading() as db:
        price = snapshots.prices_by_asset(snapshots.latest_prices(db))["btc"]
        call = json.loads(snapshots.latest_snapshot(db, "apex").body)
        books = json.loads(snapshots.latest_snapshot(db, "ai-vs-market").body)["books"]
    assert document["btc"]["price"] == price.price
    assert document["consensus"]["bull_probability"] == call["vote"]["bull_probability"]
    assert document["accuracy"]["n"] in [book["ai"]["accuracy_n"] for book in books]


def test_without_a_price_nothing_is_published(house: RunningService):
    with house.runtime.database.writing() as db:
        empty = json.loads(snapshots.latest_snapshot(db, "prices").body) | {"prices": []}
        snapshots.save_snapshot(db, "prices", SLOT + HOUR, json.dumps(empty).encode())
    assert shown(house) is None
