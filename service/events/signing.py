"""Secrets and signatures of webhooks, as Standard Webhooks defines them.

The secret of an endpoint is derived from the service's secret, its id and the number of its rotations, so no database
and no backup holds it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from standardwebhooks import Webhook

from service.events.messages import Message
from service.market.instants import DAY, utc

# How long the secret before a rotation stays valid.
OVERLAP_S = DAY


@dataclass(frozen=True)
class EndpointSecrets:
    """The secrets of the endpoint `id` after `rotations`, the last of which was at the unix second `rotated_at`."""

    id: str
    rotations: int
    rotated_at: int | None

    def current(self, key_secret: bytes) -> str:
        """The newest secret, `whsec_…`."""
        return self._secret(key_secret, self.rotations)

    def old_valid_until(self, now: float) -> int | None:
        """The unix second until which the secret before the last rotation is valid; None when it no longer is."""
        until = None if self.rotated_at is None else self.rotated_at + OVERLAP_S
        return until if until is not None and now < until else None

    def valid(self, key_secrets: Sequence[bytes], now: float) -> list[str]:
        """The secrets that sign at the unix second `now`: the newest, and for a day the one before it.

        They are derived from every valid secret of the service.
        """
        last = [self.rotations, self.rotations - 1] if self.old_valid_until(now) else [self.rotations]
        return [self._secret(key_secret, rotation) for key_secret in key_secrets for rotation in last]

    def _secret(self, key_secret: bytes, rotation: int) -> str:
        derived = hmac.new(key_secret, f"webhook {self.id} {rotation}".encode(), hashlib.sha256).digest()
        return f"whsec_{base64.b64encode(derived).decode()}"


def signed_headers(message: Message, secrets: Sequence[str], sent_at: int) -> dict[str, str]:
    """The headers of a message that is sent at the wall second `sent_at`, signed with each secret."""
    signatures = [Webhook(secret).sign(message.id, utc(sent_at), message.body) for secret in secrets]
    return {
        "webhook-id": message.id,
        "webhook-timestamp": str(sent_at),
        "webhook-signature": " ".join(signatures),
    }
