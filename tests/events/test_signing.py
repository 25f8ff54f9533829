"""Signatures that the library of Standard Webhooks accepts."""

from __future__ import annotations

import time

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from service.events.messages import Message
from service.events.signing import OVERLAP_S, EndpointSecrets, signed_headers

NOW = int(time.time())
KEY_SECRET = b"the secret of the service"


def test_a_message_verifies_with_each_valid_secret():
    """During a rotation both secrets sign; each signature is of the whole body."""
    now = int(time.time())
    rotated = EndpointSecrets("wh_1", 1, now - OVERLAP_S + 1)
    old = EndpointSecrets("wh_1", 0, None).current(KEY_SECRET)
    secrets = rotated.valid([KEY_SECRET], now)
    assert secrets == [rotated.current(KEY_SECRET), old]
    message = Message("msg_1", 1, "lane.trade", '{"text":"ä"}')
    headers = signed_headers(message, secrets, now)
    for secret in secrets:
        assert Webhook(secret).verify(message.body, headers) == {"text": "ä"}
    with pytest.raises(WebhookVerificationError):
        Webhook(EndpointSecrets("wh_2", 0, None).current(KEY_SECRET)).verify(message.body, headers)


def test_the_old_secret_ends_after_a_day():
    rotated = EndpointSecrets("wh_1", 3, NOW - OVERLAP_S)
    assert rotated.valid([KEY_SECRET], NOW) == [rotated.current(KEY_SECRET)]
    assert rotated.old_valid_until(NOW) is None


def test_secrets_differ_by_endpoint_rotation_and_service():
    secrets = {
        EndpointSecrets(id, rotations, None).current(key_secret)
        for id in ("wh_1", "wh_2")
        for rotations in (0, 1)
        for key_secret in (KEY_SECRET, b"another")
    }
    assert len(secrets) == 8
