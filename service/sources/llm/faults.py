"""What went wrong in one request to a model, and whether to ask again."""

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

# 529 is what one provider answers when all of its machines are busy.
PASSING = (429, 500, 502, 503, 504, 529)

WORDS = {
    HTTPStatus.UNAUTHORIZED: "refused the key",
    HTTPStatus.PAYMENT_REQUIRED: "is out of credit",
    HTTPStatus.FORBIDDEN: "refused the key",
    HTTPStatus.NOT_FOUND: "was not found",
    HTTPStatus.TOO_MANY_REQUESTS: "takes no more requests for now",
}


@dataclass(frozen=True)
class Fault:
    """`reason` may be published; the engine is its subject.

    `is_passing` says that it may go better the next time, `wait_s` how long the server asks to be left alone.
    `refuses_mode` and `fails_inside` are what a mode that the server cannot do looks like. `may_cost` says that the
    model may have been at work, `is_late` that there was no time left.
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
BROKEN_OFF = Fault("broke off its answer", is_passing=True)
UNREADABLE = Fault("answered what cannot be read")
TOO_LONG = Fault("sent more than is read")
UNREACHABLE = Fault("could not be reached", is_passing=True, may_cost=False)


def fault_of(error: Exception) -> Fault:
    """The fault behind what the SDK, or reading an answer, raised."""
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
        # An error among the pieces of an answer comes as the SDK's own.
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
    """Seconds to leave a server alone by its `Retry-After`: seconds or a date; 0 where it names none."""
    try:
        if retry_after.isascii() and retry_after.isdecimal():
            return float(retry_after[:12])
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
