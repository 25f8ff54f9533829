"""A message to an endpoint: its id and its body are those of the event."""

from __future__ import annotations

import json

from service.events import messages
from service.events.event import event_of
from service.events.messages import message_of
from service.ledger.chain import chained
from service.market.instants import utc
from tests.receiver import WORLD_NOW, lane_row


def test_every_attempt_at_an_event_has_one_id_and_body():
    """Another endpoint has another id, and the same body."""
    (entry,) = chained([lane_row(1)], "2026-11-21T12:05:00Z", None)
    event = event_of(entry, "simulated", {})
    first, again, other = (message_of(endpoint, event) for endpoint in ("wh_1", "wh_1", "wh_2"))
    assert first == again
    assert (first.id, other.id, first.seq, first.event) == ("msg_wh_1_1", "msg_wh_2_1", 1, "lane.trade")
    body = json.loads(first.body)
    assert (body["id"], body["type"], body["assets"]) == (1, "lane.trade", ["btc"])
    assert (body["timestamp"], body["data"]["at"]) == ("2026-11-21T12:05:00Z", "2026-11-21T12:02:00Z")
    assert other.body == first.body


def test_a_test_message_is_about_no_event():
    message = messages.test_message("wh_1", "simulated", utc(WORLD_NOW), "nonce")
    assert (message.id, message.seq, message.event) == ("test_wh_1_nonce", None, "webhook.test")
    assert (json.loads(message.body)["id"], json.loads(message.body)["assets"]) == (None, [])
