"""Faults of a single request to a model, and whether a retry makes sense."""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import httpx2
import openai

from service.sources.llm import modes
from service.sources.llm.answers import TooMuchText
from service.sources.llm.transport import TooLong

# Anthropic returns 529 when it is overloaded.
PASSING = (429, 500, 502, 503, 504, 529)

WORDS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "refused the key",
    HTTPStatus.PAYMENT_REQUIRED: "is out of credit",
    HTTPStatus.FORBIDDEN: "refused the key",
    HTTPStatus.NOT_FOUND: "was not found",
    HTTPStatus.TOO_MANY_REQUESTS: "accepts no more requests at the moment",
}


@dataclass(frozen=True)
class Fault:
    """The fault of one request; `reason` is published and its subject is the engine.

    `is_passing` is true if a retry may succeed; `wait_s` is the delay that the server asks for. `refuses_mode` and
    `fails_inside` (an internal server error) indicate a mode that the server does not support. `may_cost` is true if
    the model may have used tokens, `is_late` if there was no time left.
    """

    reason: str
    is_passing: bool = False
    wait_s: float = 0.0
    refuses_mode: bool = False
    fails_inside: bool = False
    may_cost: bool = True
    is_late: bool = False


LATE = Fault("did not answer in time", is_late=True)
NOT_SENT = Fault("did not answer in time", may_cost=False, is_late=True)
BROKEN_OFF = Fault("interrupted its answer", is_passing=True)
UNREADABLE = Fault("sent an unreadable answer")
TOO_LONG = Fault("sent an answer that is too long")
UNREACHABLE = Fault("could not be reached", is_passing=True, may_cost=False)


def fault_of(error: Exception) -> Fault:
    """The fault for an exception raised by the SDK or while reading an answer."""
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    match cause:
        case httpx2.TimeoutException():
            return LATE
        case httpx2.ConnectError():
            return UNREACHABLE
        case TooLong() | TooMuchText():
            return TOO_LONG
        # The SDK raises APIError for an error event inside a stream.
        case httpx2.NetworkError() | openai.APIError():
            return BROKEN_OFF
    return UNREADABLE


def _of_status(error: openai.APIStatusError) -> Fault:
    status = error.status_code
    is_spent = error.code == "insufficient_quota"
    words = "is out of credit" if is_spent else _in_words(status)
    is_refusal = status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR)
    return Fault(
        f"{words} ({status})",
        is_passing=status in PASSING and not is_spent,
        wait_s=_wait(error.response.headers.get("Retry-After", "")),
        refuses_mode=is_refusal and modes.names_the_mode(f"{error.message} {error.body}"),
        fails_inside=status == HTTPStatus.INTERNAL_SERVER_ERROR,
        may_cost=False,
    )


def _in_words(status: int) -> str:
    if status in WORDS:
        return WORDS[status]
    if status < 400:
        return "has moved"
    return "refused the request" if status < 500 else "failed"


def _wait(retry_after: str) -> float:
    """Seconds to wait according to `Retry-After`, which holds seconds or a date; 0 if it is missing or invalid."""
    try:
        if retry_after.isascii() and retry_after.isdecimal():
            return float(retry_after[:12])
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
