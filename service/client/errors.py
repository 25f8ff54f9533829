"""The errors of the API's clients, and which of them an answer stands for. The text of each may be shown to a user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx


class ClientError(Exception):
    """The root of the family."""


class ConnectionFailed(ClientError):
    """The address did not answer, or the connection broke; without one nothing was counted."""


class TimedOut(ClientError):
    """The complete response did not arrive within `timeout_s`; it may have been counted."""


class ProofFailed(ClientError):
    """The proof of a ledger row is wrong; the message says why."""


class WebhookInvalid(ClientError):
    """The message was not signed with this secret, or it is older than five minutes."""


class Refused(ClientError):
    """The service refused the request: an answer of 400 or more, or one that is not this API's."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = problem.get("code", "unknown")
        self.detail: str = problem.get("detail", f"The service answered {status}.")
        self.request_id: str | None = problem.get("request_id")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.suggestions: list[str] = problem.get("suggestions", [])
        self.limit: int | None = problem.get("limit")
        self.remaining: int | None = problem.get("remaining")
        self.reset_at: str | None = problem.get("reset_at")
        self.retry_after_s: int | None = problem.get("retry_after_s")
        faults = [f"{error['field']}: {error['message']}" for error in self.errors if error["message"] != self.detail]
        super().__init__(f"{self.detail} ({'; '.join(faults)})" if faults else self.detail)


class BadRequest(Refused):
    """The input is invalid; `errors` holds the `field` and `message` of each fault.

    For a refused question `suggestions` are questions close to it that would be accepted.
    """


class Unauthorized(Refused):
    """The key is missing or wrong."""


class Forbidden(Refused):
    """The key's plan does not include this, or only the operator issues keys."""


class NotFound(Refused):
    """The requested resource does not exist."""


class Conflict(Refused):
    """A request with the same Idempotency-Key is still in progress, or the voting has closed."""


class RateLimited(Refused):
    """A limit or the day's quota is used up until `reset_at`."""


class Unavailable(Refused):
    """The service cannot answer at the moment; try again after `retry_after_s`."""


class HistoryPending(Unavailable):
    """The service is still fetching its price history; `retry_after_s` estimates the seconds that are left."""


class ServerFault(Refused):
    """Something is wrong on the other side."""


REFUSALS: dict[int, type[Refused]] = {
    **dict.fromkeys((400, 413, 415, 422), BadRequest),
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    503: Unavailable,
}


def refusal_of(answer: httpx.Response) -> Refused:
    """The exception for an answer of 300 or more, which has been read."""
    return refusal(answer.status_code, _object(answer))


def document_of(answer: httpx.Response) -> dict[str, Any]:
    """The JSON object of an answer, which has been read; raises ServerFault where it is none."""
    document = _object(answer)
    if document is None:
        raise ServerFault(answer.status_code, {"detail": "The answer is not JSON: is this address the service's?"})
    return document


def refusal(status: int, problem: dict[str, Any] | None) -> Refused:
    problem = problem or {}
    if problem.get("code") == "history_arriving":
        return HistoryPending(status, problem)
    return REFUSALS.get(status, ServerFault)(status, problem)


def _object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        document = json.loads(answer.content)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
