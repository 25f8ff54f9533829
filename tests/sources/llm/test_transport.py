"""The transport keeps the deadline of a whole request and the maximum size of a response."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2
import pytest

from service.sources.llm import transport
from service.sources.llm.transport import TooLong, Transport
from tests.sources.conftest import ExchangeServer, serve

DEADLINE_S = 0.3


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(routes=lambda *_: {"answer": "yes"}))


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(transport=Transport(), timeout=DEADLINE_S) as client:
        yield client


def drip(handler) -> None:
    """A body of which a letter comes every 50 ms: each read is in time, the whole is not."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.exchange.closing.wait(0.05):
        handler.wfile.write(b" ")


def compressed(handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", "1")
    handler.end_headers()
    handler.wfile.write(b"x")


def test_a_response_is_passed_on(server, client):
    response = client.get(f"{server.address}/any")
    assert (response.status_code, response.json()) == (200, {"answer": "yes"})


def test_a_dripping_body_ends_at_the_deadline(server, client):
    server.fault, began = drip, time.monotonic()
    with pytest.raises(httpx2.ReadTimeout):
        client.get(f"{server.address}/any")
    assert DEADLINE_S <= time.monotonic() - began < DEADLINE_S + 0.5


def test_a_response_beyond_the_maximum_size_is_refused(server, client, monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", 100)
    server.fault = lambda handler: handler.reply(200, b" " * 101)
    with pytest.raises(TooLong):
        client.get(f"{server.address}/any")
    server.fault = lambda handler: handler.reply(200, b" " * 100)
    assert len(client.get(f"{server.address}/any").content) == 100


def test_a_compressed_response_is_refused(server, client):
    server.fault = compressed
    with pytest.raises(httpx2.DecodingError, match="compressed"):
        client.get(f"{server.address}/any")


def test_a_closed_port_is_a_connection_error(client):
    with pytest.raises(httpx2.ConnectError):
        client.get("http://127.0.0.1:1/any")
