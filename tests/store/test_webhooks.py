"""Endpoints of webhooks: who delivers, from which row, and what came of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.events.messages import Attempt, Message
from service.store import webhooks
from service.store.webhooks import LEASE_S, WebhookRow
from tests.receiver import endpoint, trade

NOW = 1_000_000
MESSAGE = Message("msg_1", 1, "lane.trade", "{}")
REFUSED = Attempt(MESSAGE, NOW, 12, 500, "The endpoint answered 500.")
ACCEPTED = replace(REFUSED, at=NOW + 5, status=204, error=None)


@pytest.fixture
def row(database) -> WebhookRow:
    """An endpoint with one row of the ledger to deliver."""
    row = endpoint(database, "https://example.com/", NOW)
    trade(database, 1)
    return row


@pytest.fixture
def db(database, row):
    with database.writing() as db:
        yield db


def test_an_endpoint_is_found_by_its_key_alone(db, row: WebhookRow):
    assert webhooks.find(db, row.key, row.id) == row
    assert webhooks.of_key(db, row.key) == [row]
    assert webhooks.find(db, "another", row.id) is None


def test_a_change_is_stored(db, row: WebhookRow):
    changed = webhooks.change(db, row, events=("lane.trade",), assets=("btc",), rotations=1)
    assert (
        webhooks.find(db, row.key, row.id)
        == changed
        == replace(row, events=("lane.trade",), assets=("btc",), rotations=1)
    )


def test_one_process_delivers_until_its_lease_ends(db, row: WebhookRow):
    assert webhooks.due(db, NOW) == [row.id]
    assert webhooks.claim(db, row.id, "one", NOW)
    assert (webhooks.due(db, NOW), webhooks.claim(db, row.id, "two", NOW)) == ([], False)
    assert webhooks.claim(db, row.id, "two", NOW + LEASE_S)
    assert (webhooks.held(db, row.id, "one"), webhooks.held(db, row.id, "two")) == (None, row)


def test_without_the_lease_nothing_is_written(db, row: WebhookRow):
    webhooks.claim(db, row.id, "two", NOW)
    assert not webhooks.advance(db, row.id, "one", 1, NOW, ACCEPTED)
    assert not webhooks.fail(db, row, "one", REFUSED, NOW + 5, None)
    assert (webhooks.held(db, row.id, "two"), webhooks.deliveries(db, row.id, None, 9)) == (row, [])


def test_an_accepted_attempt_moves_the_cursor(db, row: WebhookRow):
    webhooks.claim(db, row.id, "one", NOW)
    assert webhooks.fail(db, row, "one", REFUSED, NOW, None)
    webhooks.claim(db, row.id, "one", NOW)
    assert webhooks.advance(db, row.id, "one", 1, NOW, ACCEPTED)
    assert webhooks.held(db, row.id, "one") == replace(row, cursor=1, next_at=NOW)
    webhooks.release(db, row.id, "one")
    assert webhooks.due(db, NOW) == []


def test_a_failed_attempt_waits_for_the_next(db, row: WebhookRow):
    """`failing_since` stays that of the first attempt."""
    for number in range(2):
        webhooks.claim(db, row.id, "one", NOW + number)
        row = webhooks.held(db, row.id, "one")
        assert webhooks.fail(db, row, "one", replace(REFUSED, at=NOW + number), NOW + number + 1, None)
    failed = webhooks.find(db, row.key, row.id)
    assert (failed.attempts, failed.failing_since, failed.next_at) == (2, NOW, NOW + 2)
    assert (webhooks.due(db, NOW + 1), webhooks.due(db, NOW + 2)) == ([], [row.id])


def test_a_paused_endpoint_is_not_due(db, row: WebhookRow):
    webhooks.claim(db, row.id, "one", NOW)
    webhooks.fail(db, row, "one", REFUSED, NOW, "The endpoint answered 410 Gone.")
    paused = webhooks.find(db, row.key, row.id)
    assert (paused.paused_at, paused.paused_reason) == (NOW, "The endpoint answered 410 Gone.")
    assert webhooks.due(db, NOW + 1) == []


def test_an_endpoint_of_a_free_key_is_not_due(database):
    endpoint(database, "https://example.com/", NOW, plan="free")
    trade(database, 1)
    with database.reading() as db:
        assert webhooks.due(db, NOW) == []


def test_a_message_has_one_delivery_with_its_last_attempt(db, row: WebhookRow):
    first, second = (webhooks.record(db, row.id, attempt) for attempt in (REFUSED, ACCEPTED))
    assert (first.state, first.attempts, first.status) == ("failed", 1, 500)
    assert second == replace(first, state="delivered", attempts=2, status=204, error=None, last_at=NOW + 5)
    assert webhooks.count_deliveries(db) == {"delivered": 1}


def test_deliveries_are_listed_newest_first(db, row: WebhookRow):
    for number in range(3):
        webhooks.record(db, row.id, replace(ACCEPTED, message=replace(MESSAGE, id=f"msg_{number}")))
    newest, *_ = page = webhooks.deliveries(db, row.id, None, 2)
    assert [delivery.message for delivery in page] == ["msg_2", "msg_1"]
    assert [delivery.message for delivery in webhooks.deliveries(db, row.id, newest.number, 9)] == ["msg_1", "msg_0"]


def test_a_removed_endpoint_leaves_no_delivery(db, row: WebhookRow):
    webhooks.record(db, row.id, ACCEPTED)
    webhooks.remove(db, row.id)
    assert (webhooks.of_key(db, row.key), webhooks.count_deliveries(db)) == ([], {})
