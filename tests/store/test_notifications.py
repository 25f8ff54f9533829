"""Endpoints of webhooks: who delivers, from which row, and what came of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.predictions import Settlement
from service.jobs.committing import keep_settlement
from service.notifications.events import Attempt, Message
from service.store import notifications, predictions
from service.store.notifications import LEASE_S, WebhookRow
from tests.forecasting.markets import MONDAY, waiting
from tests.receiver import endpoint, trade

NOW = 1_000_000
MESSAGE = Message("msg_1", 1, "lane.trade", "{}")
REFUSAL = Attempt(MESSAGE, NOW, 12, 500, "The endpoint answered 500.")
ACCEPTANCE = replace(REFUSAL, at=NOW + 5, status=204, error=None)


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


def due(db, now: float) -> list[str]:
    return list(notifications.due_webhooks(db, now))


def test_an_endpoint_is_found_by_its_key_alone(db, row: WebhookRow):
    """As it was changed last."""
    assert notifications.find_webhook(db, row.key, row.id) == row
    assert notifications.key_webhooks(db, row.key) == [row]
    assert notifications.find_webhook(db, "another", row.id) is None
    changes = {"events": ("lane.trade",), "assets": ("btc",), "rotations": 1}
    row_after = notifications.change_webhook(db, row, **changes)
    assert notifications.find_webhook(db, row.key, row.id) == row_after == replace(row, **changes)


def test_one_process_delivers_until_its_lease_ends(db, row: WebhookRow):
    assert due(db, NOW) == [row.id]
    assert notifications.claim_webhook(db, row.id, "one", NOW)
    assert (due(db, NOW), notifications.claim_webhook(db, row.id, "two", NOW)) == ([], False)
    assert notifications.claim_webhook(db, row.id, "two", NOW + LEASE_S)
    assert [notifications.held_webhook(db, row.id, owner) for owner in ("one", "two")] == [None, row]


def test_without_the_lease_nothing_is_written(db, row: WebhookRow):
    notifications.claim_webhook(db, row.id, "two", NOW)
    assert not notifications.advance_webhook(db, row.id, "one", 1, NOW, ACCEPTANCE)
    assert not notifications.fail_webhook(db, row, "one", REFUSAL, NOW + 5, None)
    assert notifications.held_webhook(db, row.id, "two") == row
    assert notifications.find_deliveries(db, row.id, None, 9) == []


def test_an_accepted_attempt_moves_the_cursor(db, row: WebhookRow):
    notifications.claim_webhook(db, row.id, "one", NOW)
    assert notifications.fail_webhook(db, row, "one", REFUSAL, NOW, None)
    notifications.claim_webhook(db, row.id, "one", NOW)
    assert notifications.advance_webhook(db, row.id, "one", 1, NOW, ACCEPTANCE)
    assert notifications.held_webhook(db, row.id, "one") == replace(row, cursor=1, next_at=NOW)
    notifications.release_webhook(db, row.id, "one")
    assert due(db, NOW) == []


def test_a_failed_attempt_waits_for_the_next(db, row: WebhookRow):
    """`failing_since` stays that of the first attempt."""
    for number in range(2):
        notifications.claim_webhook(db, row.id, "one", NOW + number)
        row = notifications.held_webhook(db, row.id, "one")
        assert notifications.fail_webhook(db, row, "one", replace(REFUSAL, at=NOW + number), NOW + number + 1, None)
    row_after = notifications.find_webhook(db, row.key, row.id)
    assert (row_after.attempts, row_after.failing_since, row_after.next_at) == (2, NOW, NOW + 2)
    assert (due(db, NOW + 1), due(db, NOW + 2)) == ([], [row.id])


def test_a_paused_endpoint_is_not_due(db, row: WebhookRow):
    notifications.claim_webhook(db, row.id, "one", NOW)
    notifications.fail_webhook(db, row, "one", REFUSAL, NOW, "The endpoint answered 410 Gone.")
    row_after = notifications.find_webhook(db, row.key, row.id)
    assert (row_after.paused_at, row_after.paused_reason) == (NOW, "The endpoint answered 410 Gone.")
    assert due(db, NOW + 1) == []


def test_an_endpoint_of_a_free_key_is_not_due(database):
    endpoint(database, "https://example.com/", NOW, plan="free")
    trade(database, 1)
    with database.reading() as db:
        assert due(db, NOW) == []


def test_a_message_has_one_delivery_with_its_last_attempt(db, row: WebhookRow):
    first, second = (notifications.record_attempt(db, row.id, attempt) for attempt in (REFUSAL, ACCEPTANCE))
    assert (first.state, first.attempts, first.status) == ("failed", 1, 500)
    assert second == replace(first, state="delivered", attempts=2, status=204, error=None, last_at=NOW + 5)
    assert notifications.count_deliveries(db) == {"delivered": 1}


def test_deliveries_are_listed_newest_first(db, row: WebhookRow):
    """A removed endpoint leaves none."""
    for number in range(3):
        notifications.record_attempt(db, row.id, replace(ACCEPTANCE, message=replace(MESSAGE, id=f"msg_{number}")))
    page = notifications.find_deliveries(db, row.id, None, 2)
    rest = notifications.find_deliveries(db, row.id, page[0].number, 9)
    messages = [[delivery.message for delivery in part] for part in (page, rest)]
    assert messages == [["msg_2", "msg_1"], ["msg_1", "msg_0"]]
    notifications.remove_webhook(db, row.id)
    assert (notifications.key_webhooks(db, row.key), notifications.count_deliveries(db)) == ([], {})


def test_a_page_ends_with_the_last_row_it_looked_at(database):
    """Rows that are no events are passed over."""
    seqs = [*trade(database, 2), *trade(database, 1, backfilled=True)]
    with database.reading() as db:
        page = notifications.events_after(db, seqs[0], "simulated")
        assert ([event.id for event in page.events], page.last) == ([seqs[1]], seqs[2])
        assert notifications.events_after(db, 99, "simulated") == notifications.EventPage((), {}, 99)


def test_a_full_page_goes_on_behind_its_last_row(database, monkeypatch):
    monkeypatch.setattr(notifications, "EVENTS_AT_ONCE", 2)
    seqs = trade(database, 3)
    with database.reading() as db:
        page = notifications.events_after(db, 0, "simulated")
        assert ([event.id for event in page.events], page.last) == (seqs[:2], seqs[1])
        assert [event.id for event in notifications.events_after(db, page.last, "simulated").events] == seqs[2:]


@pytest.mark.parametrize(
    ("caller", "is_visible"),
    [
        *((None, False), ("key:1a", True), ("key:1a:alice:phone", True), ("key:1a:bob", False), ("key:1", False)),
        ("key:1a:alice", False),  # an end user whose id is the beginning of another's
    ],
)
def test_an_answer_is_seen_by_its_caller_alone(database, caller: str | None, is_visible: bool):
    """And by the delegating key of its caller."""
    answer = replace(waiting("a", opened=MONDAY), category="answer", author="key:1a:alice:phone", odds=None)
    with database.writing() as db:
        predictions.add_predictions(db, [answer])
        keep_settlement(db, "a", Settlement("no", MONDAY + 90_000, "a bar", "bars"), MONDAY + 90_000)
        page = notifications.events_after(db, 0, "simulated")
    assert [event.type for event in page.visible_to(caller)] == ["answer.resolved"] * is_visible
