"""Connections that begin a request and never end it."""

from __future__ import annotations

import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from service.api import serving
from service.config import Settings
from tests.processes import ROOT, free_port, running, wait_until_ready

HERE = Path(__file__).parent
HALF_SENT = 1050
HEAD = b"POST /api/v1/oracle HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
SERVER = (
    "import sys; from service import config; from service.api import serving; import served; "
    "serving.REQUEST_S = float(sys.argv[1]); serving.serve(served.web(), config.read())"
)

pytestmark = pytest.mark.slow


@contextmanager
def half_sent(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Connections of which half have not finished their head, and half their body."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        connections = []
        for number in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            connection.sendall(HEAD + (b"\r\n{" if number % 2 else b""))
            connections.append(connection)
        yield connections


@contextmanager
def served(folder: Path, sqlite_url: str, request_s: float, **options: str) -> Iterator[int]:
    """The port of a waitress whose requests must arrive in `request_s` seconds."""
    port, log = free_port(), folder / "log"
    environment = {"PORT": str(port), "DATA_DIR": str(folder), "DATABASE_URL": sqlite_url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SERVER, str(request_s)]
    with running(command, log, HERE, **environment | options) as process:
        wait_until_ready(port, process, log, "/healthz")
        yield port


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def test_one_address_cannot_take_every_connection(tmp_path: Path, sqlite_url: str):
    """Most of 1,050 half-sent requests are closed at once, so other addresses are answered meanwhile."""
    with served(tmp_path, sqlite_url, 60) as port, half_sent(port, HALF_SENT) as connections:
        connections[-1].settimeout(5)
        assert _is_closed(connections[-1])
        other = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=other, timeout=5) as client:
            assert client.get(f"http://127.0.0.1:{port}/healthz").status_code == 200


def test_a_request_that_never_ends_is_closed_in_time(tmp_path: Path, sqlite_url: str):
    """Behind a proxy all connections have one address; there the time limit frees them."""
    with served(tmp_path, sqlite_url, 2, TRUSTED_PROXIES="1") as port, half_sent(port, HALF_SENT) as connections:
        deadline = time.monotonic() + 15
        while not answers(port):
            assert time.monotonic() < deadline
        assert _is_closed(connections[0])


def test_every_byte_does_not_give_more_time(tmp_path: Path, sqlite_url: str):
    with served(tmp_path, sqlite_url, 2) as port, half_sent(port, 1) as (connection,):
        started = time.monotonic()
        connection.settimeout(0.2)
        while not _is_closed(connection):
            connection.sendall(b"X")
            assert time.monotonic() < started + 10


def test_granian_ends_a_head_that_never_ends():
    command = serving.granian_command(Settings(), 2)
    assert f"--http1-header-read-timeout={serving.REQUEST_S * 1000}" in command


def _is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True
