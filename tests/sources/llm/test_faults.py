"""What a failed request to a model is published as, and whether it is tried again."""

from __future__ import annotations

import time
from email.utils import formatdate

import httpx2
import openai
import pytest

from service.sources.llm.answers import TooMuchText
from service.sources.llm.faults import BROKEN_OFF, LATE, TOO_LONG, UNREACHABLE, UNREADABLE, Fault, fault_of
from service.sources.llm.transport import TooLong

REQUEST = httpx2.Request("POST", "http://model.example/v1/chat/completions")


def refused(status: int, message: str = "no", code: str | None = None, **headers: str) -> Fault:
    """The fault of an answer with this status."""
    response = httpx2.Response(
        status, request=REQUEST, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    return fault_of(openai.APIStatusError(message, response=response, body={"code": code, "message": message}))


@pytest.mark.parametrize(
    ("status", "reason", "is_passing"),
    [
        (302, "has moved (302)", False),
        (400, "refused the request (400)", False),
        (401, "refused the key (401)", False),
        (402, "is out of credit (402)", False),
        (404, "was not found (404)", False),
        (429, "accepts no more requests at the moment (429)", True),
        (500, "failed (500)", True),
        (501, "failed (501)", False),
        (529, "failed (529)", True),
    ],
)
def test_a_status_has_a_reason(status: int, reason: str, is_passing: bool):
    """The text of the provider is never quoted; a refused request costs nothing."""
    fault = refused(status, "sk-secret")
    assert (fault.reason, fault.is_passing, fault.may_cost, fault.fails_inside) == (
        reason,
        is_passing,
        False,
        status == 500,
    )


def test_a_spent_account_is_not_asked_again():
    fault = refused(429, code="insufficient_quota")
    assert (fault.reason, fault.is_passing) == ("is out of credit (429)", False)


@pytest.mark.parametrize(("retry_after", "wait_s"), [("7", 7.0), ("", 0.0), ("soon", 0.0), ("-5", 0.0), ("٣", 0.0)])
def test_a_server_may_ask_to_wait(retry_after: str, wait_s: float):
    headers = {"Retry_After": retry_after} if retry_after.isascii() else {}
    assert refused(429, **headers).wait_s == wait_s


def test_a_wait_may_be_a_date():
    assert 50 < refused(429, Retry_After=formatdate(time.time() + 60, usegmt=True)).wait_s <= 60
    assert refused(429, Retry_After=formatdate(time.time() - 60, usegmt=True)).wait_s == 0


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx2.ReadTimeout("slow"), LATE),
        (httpx2.ConnectError("refused"), UNREACHABLE),
        (httpx2.ReadError("reset"), BROKEN_OFF),
        (TooLong("too long"), TOO_LONG),
        (TooMuchText(), TOO_LONG),
        (ValueError("no JSON"), UNREADABLE),
    ],
)
def test_a_broken_connection_has_a_fault(error: Exception, fault: Fault):
    assert fault_of(error) == fault


def test_the_cause_of_a_connection_error_counts():
    error = openai.APIConnectionError(request=REQUEST)
    error.__cause__ = httpx2.ConnectError("refused")
    assert fault_of(error) == UNREACHABLE


def test_an_error_inside_a_stream_breaks_it_off():
    assert fault_of(openai.APIError("overloaded", REQUEST, body=None)) == BROKEN_OFF
