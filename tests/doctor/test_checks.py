"""A check is timed, and an error is described by the name of its class."""

from __future__ import annotations

from threading import Event

import pytest
import redis
import requests
from sqlalchemy.exc import DatabaseError, OperationalError

from service.doctor import checks
from service.doctor.checks import Finding, run
from service.errors import SourceFailed

SECRET = "sk-secret"


def failing(error: Exception) -> Finding:
    """The finding of a check that raises this error."""

    def call() -> Finding:
        raise error

    return run("a part", "a server", 1.0, call)


def test_a_finding_names_its_part_and_its_time():
    finding = run("redis", "redis localhost", 1.0, lambda: Finding(detail="answers", tokens=3))
    assert finding == Finding("redis", "redis localhost", ms=finding.ms, tokens=3, detail="answers")
    assert 0 <= finding.ms < 1000


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (redis.TimeoutError(SECRET), "No complete response in time."),
        (redis.AuthenticationError(SECRET), "Access refused; check the name and the password."),
        (OperationalError(SECRET, {}, ValueError(SECRET)), "It does not answer"),
        (DatabaseError(SECRET, {}, ValueError(SECRET)), "It cannot be read"),
        (requests.ConnectionError(SECRET), "It could not be reached"),
        (ValueError(SECRET), "It failed with ValueError"),
    ],
)
def test_an_error_is_described_by_its_class(error: Exception, detail: str):
    """Its text may hold a key, so it is left out."""
    finding = failing(error)
    assert not finding.works
    assert finding.detail.startswith(detail)
    assert SECRET not in finding.detail


@pytest.mark.parametrize(
    ("cause", "meaning"),
    [
        ("NetworkError", "it could not be reached; check that it is running and its address"),
        ("ProxyError", "no connection through the proxy; check SOURCE_PROXY or HTTPS_PROXY"),
        ("RateLimitExceeded", "it failed or refused the request; try again later"),
        ("JSONDecodeError", "the answer cannot be read"),
        ("404 of two pages", "404 of two pages"),
    ],
)
def test_the_cause_of_a_failed_source_is_described(cause: str, meaning: str):
    finding = failing(SourceFailed(f"no bars of btc: kraken: {cause}."))
    assert finding.detail == f"No bars of btc: kraken: {meaning}."


def test_a_call_is_abandoned_after_its_time(monkeypatch):
    monkeypatch.setattr(checks, "GRACE_S", 0.0)
    finish = Event()
    finding = run("a part", "a server", 0.01, lambda: Finding(works=finish.wait(10)))
    finish.set()
    assert (finding.works, "no complete response in time" in finding.detail.lower()) == (False, True)
