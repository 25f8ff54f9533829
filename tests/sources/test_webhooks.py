"""A delivery ends in time and reads little, whatever the endpoint does; certificates are those of the name."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from service.config import Settings
from service.notifications.events import Attempt, Message
from service.sources import sessions, webhooks
from service.sources.webhooks import MOST_BYTES, send
from tests.sources.certificates import self_signed

MESSAGE = Message("msg_1", 1, "lane.trade", '{"type":"lane.trade"}')
SECRET = "whsec_c2VjcmV0"
ACCEPTED = b"HTTP/1.1 200 OK\r\n"


def read_request(connection: socket.socket) -> None:
    """Read MESSAGE whole: with bytes left unread, closing would reset the connection before its answer is read."""
    received = b""
    while not received.endswith(MESSAGE.body.encode()):
        piece = connection.recv(65536)
        if not piece:
            return
        received += piece


@contextmanager
def listening(answer: Callable[[socket.socket], object]) -> Iterator[int]:
    """A port where `answer` handles one connection, after the request was read."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    read_request(connection)
                    answer(connection)
                except OSError:
                    pass

        thread = Thread(target=run, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def post(port: int, limit_s: float = 1.0) -> tuple[Attempt, float]:
    """An attempt, and how long it took."""
    began = time.monotonic()
    attempt = send(f"http://127.0.0.1:{port}/", MESSAGE, [SECRET], 0, private=True, time_limit_s=limit_s)
    return attempt, time.monotonic() - began


def drip(connection: socket.socket) -> None:
    """A header that never ends, a byte at a time."""
    connection.sendall(ACCEPTED + b"X-Long: ")
    while True:
        connection.sendall(b"a")
        Event().wait(0.01)


def flood(connection: socket.socket) -> None:
    """A body that never ends."""
    connection.sendall(ACCEPTED + b"Content-Length: 1000000000\r\n\r\n")
    connection.flooded = 0
    while True:
        connection.flooded += connection.send(b"a" * 65536)


@pytest.mark.slow
def test_an_endpoint_that_drips_its_headers_has_a_second():
    with listening(drip) as port:
        attempt, seconds = post(port)
    assert (attempt.status, attempt.error) == (None, "No answer within 1 s.")
    assert seconds < 1.5


@pytest.mark.slow
def test_an_endpoint_that_says_nothing_has_a_second():
    with listening(lambda connection: list(iter(lambda: connection.recv(4096), b""))) as port:
        attempt, seconds = post(port)
    assert attempt.error == "No answer within 1 s."
    assert seconds < 1.5


def test_an_accepted_message_counts_though_its_answer_never_ends():
    """Only 64 KiB of it are read."""
    with listening(lambda connection: flood(Counting(connection))) as port:
        attempt, seconds = post(port, limit_s=5)
    assert (attempt.status, attempt.error) == (200, None)
    assert seconds < 3


class Counting:
    """A connection that fails once more was taken from it than sockets buffer and one delivery reads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.flooded = 0

    def sendall(self, data: bytes) -> None:
        self._connection.sendall(data)

    def send(self, data: bytes) -> int:
        assert self.flooded < MOST_BYTES + 16 * 2**20
        return self._connection.send(data)


def test_endless_headers_are_cut_off():
    def endless(connection: socket.socket) -> None:
        connection.sendall(ACCEPTED)
        while True:
            connection.sendall(b"X-Long: " + b"a" * 1000 + b"\r\n")

    with listening(endless) as port:
        attempt, seconds = post(port, limit_s=5)
    assert attempt.status is None
    assert attempt.error.startswith("The connection failed")
    assert seconds < 3


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 999 ?\r\n\r\n", b"\x00" * 1000])
def test_what_is_not_http_is_a_failure(answer: bytes):
    with listening(lambda connection: connection.sendall(answer)) as port:
        attempt, _ = post(port)
    assert attempt.error


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate of hooks.example.com with its key, signed by itself."""
    return self_signed("hooks.example.com", tmp_path_factory.mktemp("tls") / "certificate.pem")


@pytest.mark.parametrize(("host", "status"), [("hooks.example.com", 200), ("other.example.com", None)])
def test_the_certificate_must_be_that_of_the_name(certificate: Path, monkeypatch, host: str, status: int | None):
    """The connection goes to the resolved address; name indication and certificate are those of the URL's host."""
    indicated = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    server.sni_callback = lambda _socket, name, _context: indicated.append(name)
    monkeypatch.setattr(webhooks, "_certificates", lambda: ssl.create_default_context(cafile=str(certificate)))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            connection, _ = listener.accept()
            try:
                with server.wrap_socket(connection, server_side=True) as secured:
                    read_request(secured)
                    secured.sendall(ACCEPTED + b"Content-Length: 0\r\n\r\n")
            except OSError:
                pass

        thread = Thread(target=run, daemon=True)
        thread.start()
        url = f"https://{host}:{listener.getsockname()[1]}/"
        attempt = send(url, MESSAGE, [SECRET], 0, private=True, resolve=lambda *_: ["127.0.0.1"])
        thread.join(10)
    assert (attempt.status, indicated) == (status, [host])
    assert (attempt.error is None) == (status == 200)


def test_a_proxy_is_never_used(without_proxy, http_proxy, monkeypatch):
    """A proxy would connect to addresses that are refused here."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, http_proxy.address)
    sessions.use_proxy(Settings(source_proxy=http_proxy.address))
    with listening(lambda connection: connection.sendall(ACCEPTED + b"Content-Length: 0\r\n\r\n")) as port:
        url = f"http://hooks.example.com:{port}/"
        attempt = send(url, MESSAGE, [SECRET], 0, private=True, resolve=lambda *_: ["127.0.0.1"])
    assert (attempt.status, http_proxy.requests) == (200, [])
