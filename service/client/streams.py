"""What the service sends: streams as their bytes come in, and webhook messages; and the parts of requests."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from service.client.errors import WebhookInvalid, refusal

SILENCE_S = 15.0  # a stream sends a heartbeat every ten seconds


class AnswerReader:
    """The stream of one answer, which ends by `deadline`, an instant of `time.monotonic()`."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._blocks = _Blocks()

    @staticmethod
    def request(body: Mapping[str, Any], idempotency_key: str | None) -> dict[str, Any]:
        """The arguments of the request that opens it."""
        headers = {"Accept": "text/event-stream", **once(idempotency_key)}
        return {"method": "POST", "url": "/api/v1/oracle", "timeout": SILENCE_S, "json": body, "headers": headers}

    def feed(self, text: str) -> Iterator[dict[str, Any]]:
        """The steps that `text` completes; raises TimeoutError after the deadline, and what the stream reports."""
        if time.monotonic() > self._deadline:
            raise TimeoutError
        for fields in self._blocks.feed(text):
            if "data" not in fields:
                continue  # a heartbeat
            name, payload = fields.get("event", "message"), json.loads(fields["data"])
            if name == "error":
                raise refusal(payload.get("status", 500), payload)
            yield {"event": name, **payload}


class EventReader:
    """The streams of events of one subscription; each continues after the last event of the one before."""

    def __init__(
        self, events: Iterable[str], assets: Iterable[str], after_seq: int | None, seconds: int | None
    ) -> None:
        self._filter = {"events": ",".join(events) or None, "assets": ",".join(assets) or None, "seconds": seconds}
        self._after_seq = after_seq
        self._blocks = _Blocks()

    def request(self, timeout_s: float) -> dict[str, Any]:
        """The arguments of the request that opens the next stream."""
        self._blocks = _Blocks()
        params = present(**self._filter, after_seq=self._after_seq)
        timeout = httpx.Timeout(timeout_s, read=SILENCE_S)
        return {"method": "GET", "url": "/api/v1/events", "params": params, "timeout": timeout}

    def feed(self, text: str) -> Iterator[dict[str, Any]]:
        """The events that `text` completes."""
        for fields in self._blocks.feed(text):
            if "id" in fields:
                self._after_seq = int(fields["id"])
                if "data" in fields:
                    yield json.loads(fields["data"])


class _Blocks:
    """Server-sent events from the pieces of a stream."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> list[dict[str, str]]:
        """The fields of each block that `text` completes."""
        *blocks, self._rest = (self._rest + text).split("\n\n")
        return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def is_document(answer: httpx.Response) -> bool:
    """Whether a stream that was asked for before is answered with its result."""
    return answer.headers.get("Content-Type", "").startswith("application/json")


def once(idempotency_key: str | None) -> dict[str, str]:
    """The header under which a retry is free."""
    return {"Idempotency-Key": idempotency_key} if idempotency_key else {}


def path_of(root: str, *names: str) -> str:
    """The address below `root` with these names in it, whatever their characters."""
    return "/".join((root, *(quote(name, safe="") for name in names)))


def present(**parameters: object) -> dict[str, Any]:
    """The parameters that have a value; an empty one would be refused."""
    return {name: value for name, value in parameters.items() if value is not None}


def question_body(
    question: str | Mapping[str, Any], context: str | Mapping[str, Any] | None, *, strict: bool
) -> dict[str, Any]:
    """The body of a text, which may carry the question in `context` on, or of what was understood before."""
    body = {"question": question} if isinstance(question, str) else {"understood": dict(question)}
    return body | present(context=context, strict=strict or None)


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
