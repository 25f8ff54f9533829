"""The signature of a webhook message is verified."""

from __future__ import annotations

import time

import pytest

from service.client import WebhookInvalid, verify_webhook
from service.events.event import event_of
from service.events.messages import message_of
from service.events.signing import EndpointSecrets, signed_headers
from service.ledger.chain import ChainEntry, chained
from tests.receiver import lane_row


def test_a_webhook_message_is_verified():
    secret = EndpointSecrets("wh_1", 0, None).current(b"secret")
    message = message_of("wh_1", event_of(chained_row(), "simulated", {}))
    headers = signed_headers(message, [secret], int(time.time()))
    assert verify_webhook(message.body.encode(), headers, secret)["type"] == "lane.trade"
    other = EndpointSecrets("wh_1", 1, None).current(b"secret")
    old = signed_headers(message, [secret], int(time.time()) - 301)
    for body, sent, key in (
        (message.body + " ", headers, secret),
        (message.body, headers, other),
        (message.body, old, secret),
        (message.body, {}, secret),
        (message.body, headers, "whsec_"),
    ):
        with pytest.raises(WebhookInvalid):
            verify_webhook(body, sent, key)


def chained_row() -> ChainEntry:
    """A trade of a lane in a ledger."""
    (entry,) = chained([lane_row(1)], "2026-11-21T08:02:00Z", None)
    return entry
