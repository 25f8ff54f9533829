"""A session with a deadline, a size limit and a JSON check."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import requests

from service.sources.bounded_session import BoundedSession
from tests.sources.conftest import ExchangeServer, serve


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}))


@pytest.fixture
def session() -> Iterator[BoundedSession]:
    """A session with five seconds left."""
    with BoundedSession() as session:
        session.deadline = time.monotonic() + 5
        yield session


def moved(handler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "/elsewhere")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def test_an_answer_is_passed_on(server, session):
    response = session.get(server.address)
    assert (response.status_code, response.json()) == (200, {"answer": "yes"})


def test_nothing_is_sent_after_the_deadline(server, session):
    session.deadline = time.monotonic() - 1
    with pytest.raises(requests.Timeout):
        session.get(server.address)
    assert server.requests == []


def test_an_answer_beyond_the_maximum_size_is_refused(server, session):
    session.most_bytes, session.is_json = 100, False
    server.fault = lambda handler: handler.reply(200, b"x" * 101)
    with pytest.raises(requests.exceptions.ContentDecodingError, match="more than 100 bytes"):
        session.get(server.address)
    server.fault = lambda handler: handler.reply(200, b"x" * 100)
    assert session.get(server.address).content == b"x" * 100


def test_only_a_success_must_be_json(server, session):
    """A page of an error keeps its status."""
    server.fault = lambda handler: handler.reply(200, b"<html>")
    with pytest.raises(requests.exceptions.InvalidJSONError):
        session.get(server.address)
    server.fault = lambda handler: handler.reply(503, b"<html>")
    assert session.get(server.address).status_code == 503


def test_a_redirect_is_not_followed(server, session):
    server.fault = moved
    assert session.get(server.address).status_code == 302
    assert server.requests == ["/"]


def test_a_password_of_the_environment_is_not_sent(server, session, monkeypatch, tmp_path):
    """Requests would send the one that `.netrc` has for the host."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login someone password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    headers = []
    server.fault = lambda handler: (headers.extend(handler.headers), handler.reply(200, b"{}"))
    session.get(server.address)
    assert "Host" in headers
    assert "Authorization" not in headers
