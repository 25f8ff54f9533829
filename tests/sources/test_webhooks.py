"""A delivery has a deadline, a maximum size and allowed addresses; its endpoint has the certificate of its name."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler
from threading import Event, Thread

import httpcore2
import pytest

from service.config import Settings
from service.notifications.events import Attempt, Message
from service.sources import sessions, webhooks
from service.sources.deadline_network import AddressRefused, DeadlineBackend, resolve
from service.sources.webhooks import MOST_BYTES, send
from tests.sources.conftest import self_signed
from tests.sources.servers import Server

MESSAGE = Message("msg_1", 1, "lane.trade", '{"type":"lane.trade"}')
SECRET = "whsec_c2VjcmV0"
SUCCESS = b"HTTP/1.1 200 OK\r\n"


class TenBytes(StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"0123456789")


@pytest.fixture
def port() -> Iterator[int]:
    """A server on 127.0.0.1 that sends ten bytes to each caller."""
    with Server(TenBytes) as server:
        yield server.server_port


def soon() -> float:
    return time.monotonic() + 5


def to(*addresses: str, **options) -> DeadlineBackend:
    """A backend whose every name leads to these addresses."""
    return DeadlineBackend(resolve=lambda *_: list(addresses), **options)


def test_the_next_address_is_tried(port: int):
    """Nothing listens on 127.0.0.2. A forbidden address among others is refused; a name may have none."""
    backend = to("127.0.0.1", "10.0.0.1", allowed=lambda address: address != "10.0.0.1")
    with pytest.raises(AddressRefused, match="leads to a private"):
        backend.connect_tcp("example.com", port, soon())
    stream = to("127.0.0.2", "127.0.0.1").connect_tcp("example.com", port, soon())
    assert stream.read(4, soon()) == b"0123"
    stream.close()
    with pytest.raises(httpcore2.ConnectError, match=r"no address of example\.com"):
        to().connect_tcp("example.com", 80, soon())
    assert resolve("127.0.0.1", 80, soon()) == ["127.0.0.1"]
    with pytest.raises(httpcore2.ConnectError):
        resolve(f"{'a' * 64}.example", 80, soon())


def test_nothing_is_done_after_the_deadline(port: int):
    """No more bytes are read than allowed."""
    backend, past = to("127.0.0.1"), time.monotonic() - 1
    with pytest.raises(httpcore2.ConnectTimeout):
        backend.connect_tcp("example.com", port, past)
    stream = backend.connect_tcp("example.com", port, soon())
    with pytest.raises(httpcore2.ReadTimeout):
        stream.read(4, past)
    with pytest.raises(httpcore2.WriteTimeout):
        stream.write(b"x", past)
    stream.close()
    stream = to("127.0.0.1", most_bytes=6).connect_tcp("example.com", port, soon())
    content = b""
    while len(content) < 6:
        content += stream.read(4, soon())
    assert content == b"012345"
    with pytest.raises(httpcore2.ReadError, match="more than 6 bytes"):
        stream.read(4, soon())
    stream.close()


def read_request(connection: socket.socket) -> None:
    """Read MESSAGE whole: with bytes left unread, closing would reset the connection before its answer is read."""
    content = b""
    while not content.endswith(MESSAGE.body.encode()) and (piece := connection.recv(65536)):
        content += piece


@contextmanager
def listening(
    answer: Callable[[socket.socket], object], secure: Callable[[socket.socket], socket.socket] = lambda plain: plain
) -> Iterator[int]:
    """A port where `answer` handles one connection, after the request was read; `secure` begins the encryption."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            plain, _ = listener.accept()
            with suppress(OSError), plain, secure(plain) as connection:
                read_request(connection)
                answer(connection)

        thread = Thread(target=run, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def accept(connection: socket.socket) -> None:
    connection.sendall(SUCCESS + b"Content-Length: 0\r\n\r\n")


def post(port: int, limit_s: float = 1.0) -> Attempt:
    return send(f"http://127.0.0.1:{port}/", MESSAGE, [SECRET], 0, private=True, time_limit_s=limit_s)


def drip(connection: socket.socket) -> None:
    """A header that never ends, a byte at a time."""
    connection.sendall(SUCCESS + b"X-Long: ")
    while not Event().wait(0.01):
        connection.sendall(b"a")


def flood(connection: socket.socket) -> None:
    """A body that never ends; it fails once more was taken than sockets buffer and one delivery reads."""
    connection.sendall(SUCCESS + b"Content-Length: 1000000000\r\n\r\n")
    count = 0
    while True:
        assert count < MOST_BYTES + 16 * 2**20
        count += connection.send(b"a" * 65536)


def flood_headers(connection: socket.socket) -> None:
    connection.sendall(SUCCESS)
    while True:
        connection.sendall(b"X-Long: " + b"a" * 1000 + b"\r\n")


def say_nothing(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("answer", [drip, say_nothing])
def test_a_slow_endpoint_has_a_second(answer):
    with listening(answer) as port:
        attempt = post(port)
    assert (attempt.status, attempt.error) == (None, "No answer within 1 s.")


@pytest.mark.parametrize(
    ("answer", "status", "error"), [(flood, 200, ""), (flood_headers, None, "The connection failed")]
)
def test_an_answer_that_never_ends_is_cut_off(answer, status, error):
    """A body at 64 KiB, and its message counts as accepted."""
    with listening(answer) as port:
        attempt = post(port, limit_s=5)
    assert attempt.status == status
    assert (attempt.error or "").startswith(error)
    assert (attempt.error is None) == (status == 200)


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 999 ?\r\n\r\n", b"\x00" * 1000])
def test_what_is_not_http_is_a_failure(answer: bytes):
    with listening(lambda connection: connection.sendall(answer)) as port:
        attempt = post(port)
    assert attempt.error


@pytest.mark.parametrize(("host", "status"), [("hooks.example.com", 200), ("other.example.com", None)])
def test_the_certificate_must_be_that_of_the_name(tmp_path: Path, monkeypatch, host: str, status: int | None):
    """The connection goes to the resolved address; name indication and certificate are those of the URL's host."""
    names, certificate = [], self_signed("hooks.example.com", tmp_path / "certificate.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    monkeypatch.setattr(webhooks, "_certificates", lambda: ssl.create_default_context(cafile=str(certificate)))
    with listening(accept, lambda plain: context.wrap_socket(plain, server_side=True)) as port:
        url = f"https://{host}:{port}/"
        attempt = send(url, MESSAGE, [SECRET], 0, private=True, resolve=lambda *_: ["127.0.0.1"])
    assert (attempt.status, names) == (status, [host])
    assert (attempt.error is None) == (status == 200)


def test_a_proxy_is_never_used(without_proxy, http_proxy, monkeypatch):
    """A proxy would connect to addresses that are refused here."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, http_proxy.address)
    sessions.use_proxy(Settings(source_proxy=http_proxy.address))
    with listening(accept) as port:
        url = f"http://hooks.example.com:{port}/"
        attempt = send(url, MESSAGE, [SECRET], 0, private=True, resolve=lambda *_: ["127.0.0.1"])
    assert (attempt.status, http_proxy.requests) == (200, [])
