"""The check of a webhook message by whoever receives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.client.errors import WebhookInvalid


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The event in a webhook message, after checking its signature; raises WebhookInvalid.

    `body` and `headers` are those of the request as they came, `secret` is `whsec_…`. A message may come twice, with
    the same `webhook-id` in its headers.
    """
    from standardwebhooks import Webhook, WebhookVerificationError
    from standardwebhooks.webhooks import EmptyWebhookSecretError

    try:
        return Webhook(secret).verify(body, dict(headers))
    except (WebhookVerificationError, EmptyWebhookSecretError, ValueError) as error:
        raise WebhookInvalid(f"The message is not valid: {error}.") from None
