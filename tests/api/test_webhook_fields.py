"""How an endpoint and its deliveries are described."""

from __future__ import annotations

from service.api.webhook_fields import delivery_of, endpoint_of
from service.events.signing import OVERLAP_S
from service.market.instants import utc
from service.store.webhooks import DeliveryRow, WebhookRow

NOW = 1_795_262_400


def row(**fields) -> WebhookRow:
    active = {
        "id": "wh_1",
        "key": "1a",
        "url": "https://example.com/",
        "events": (),
        "assets": (),
        "created_at": NOW,
        "rotations": 0,
        "rotated_at": None,
        "cursor": 7,
        "attempts": 0,
        "failing_since": None,
        "next_at": 0.0,
        "paused_at": None,
        "paused_reason": None,
    }
    return WebhookRow(**active | fields)


def test_an_endpoint_that_works_waits_for_nothing():
    shown = endpoint_of(row(), NOW)
    assert (shown.status, shown.last_row, shown.next_attempt_at, shown.old_secret_until) == ("active", 7, None, None)
    assert shown.created_at == utc(NOW)


def test_an_endpoint_that_fails_says_when_it_is_tried_again():
    shown = endpoint_of(row(attempts=2, failing_since=NOW - 20, next_at=NOW + 15.7), NOW)
    assert (shown.failed_attempts, shown.failing_since, shown.next_attempt_at) == (2, utc(NOW - 20), utc(NOW + 15))


def test_a_paused_endpoint_is_not_tried_again():
    shown = endpoint_of(row(attempts=2, next_at=NOW + 15.0, paused_at=NOW, paused_reason="410"), NOW)
    assert (shown.status, shown.paused_at, shown.paused_reason) == ("paused", utc(NOW), "410")
    assert shown.next_attempt_at is None


def test_after_a_rotation_the_old_secret_has_an_end():
    rotated = row(rotations=1, rotated_at=NOW)
    assert endpoint_of(rotated, NOW).old_secret_until == utc(NOW + OVERLAP_S)
    assert endpoint_of(rotated, NOW + OVERLAP_S).old_secret_until is None


def test_a_delivery_is_named_by_its_message():
    shown = delivery_of(DeliveryRow(3, "msg_1", 9, "lane.trade", "failed", 2, 500, "No.", NOW, NOW + 5, 12))
    assert (shown.id, shown.event_id, shown.state, shown.attempts, shown.status) == ("msg_1", 9, "failed", 2, 500)
    assert (shown.first_attempt_at, shown.last_attempt_at, shown.duration_ms) == (utc(NOW), utc(NOW + 5), 12)
