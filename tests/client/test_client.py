"""The client in use: a key, a challenge, failed connections and the deadline of a call."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from flask import Flask

from service.client import BadRequest, Client, ClientError, ConnectionFailed, NotFound, TimedOut, Unauthorized
from tests.api.opened import tell_prices
from tests.api.web import NOON

ROOT = Path(__file__).parents[2]


def test_a_key_is_registered_used_rotated_and_revoked(app: Flask, client: Client):
    issued = client.register("you@example.com", "a test")
    holder = Client("http://ninefold", issued["api_key"], transport=httpx.WSGITransport(app))
    assert holder.usage()["quota"]["limit"] == issued["daily_limit"]
    rotated = holder.rotate()
    assert rotated["api_key"] != issued["api_key"]
    assert holder.usage()["key_id"] == issued["key_id"]
    assert holder.revoke() is None
    with pytest.raises(Unauthorized) as refusal:
        holder.usage()
    assert refusal.value.code == "invalid_api_key"


def test_a_challenge_is_created_once_voted_on_and_read(app: Flask, client: Client):
    tell_prices(app.extensions["ninefold"].database, as_of=NOON)
    question, deadline = "Will Bitcoin be above 60,000 USD?", "2026-12-21"
    created = [client.create_challenge(question, deadline, idempotency_key="once") for _ in range(2)]
    assert created[0] == created[1]
    number = created[0]["number"]
    assert client.vote_challenge(number, "no")["user_votes"]["no"] == 1
    assert client.challenge(number)["user_votes"]["total"] == 1
    assert [challenge["number"] for challenge in client.challenges()["challenges"]] == [number]
    with pytest.raises(NotFound):
        client.vote("challenge/1", "yes")
    with pytest.raises(BadRequest) as refusal:
        client.create_challenge(question, "tomorrow")
    assert [error["field"] for error in refusal.value.errors] == ["deadline"]


@pytest.mark.parametrize("failure", [httpx.ReadError("reset"), httpx.ReadTimeout("slow")])
def test_a_request_is_never_sent_twice(failure: httpx.TransportError):
    sent: list[httpx.Request] = []

    def fail(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        raise failure

    with Client("http://ninefold", transport=httpx.MockTransport(fail)) as client, pytest.raises(ClientError):
        client.ask("Up?")
    assert len(sent) == 1


def test_a_closed_port_is_a_failed_connection():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(ConnectionFailed, match=str(port)):
        client.prices()


@contextmanager
def dripping(beginning: bytes) -> Iterator[str]:
    """A server that sends the beginning of an answer and then one byte of it every 20 ms."""
    stop = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(beginning)
            while not stop.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "beginning", [b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n"]
)
def test_the_deadline_holds_for_the_whole_call(beginning: bytes):
    with (
        dripping(beginning) as url,
        Client(url, timeout_s=0.3) as client,
        pytest.raises(TimedOut, match=r"within 0\.3 s"),
    ):
        client.prices()


def test_a_front_end_loads_neither_flask_nor_sqlalchemy():
    check = (
        "import sys, service.client; "
        "print(sorted({'flask', 'sqlalchemy', 'werkzeug', 'pydantic', 'numpy', 'service.config'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
