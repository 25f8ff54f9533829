"""Connections with a deadline, a size limit and allowed addresses."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from threading import Thread

import httpcore2
import pytest

from service.sources.deadline_network import AddressRefused, DeadlineBackend, resolve


@pytest.fixture
def port() -> Iterator[int]:
    """A server on 127.0.0.1 that sends ten bytes to each of two callers."""

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"0123456789")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,))
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def soon() -> float:
    return time.monotonic() + 5


def to(*addresses: str, **options) -> DeadlineBackend:
    """A backend whose every name leads to these addresses."""
    return DeadlineBackend(resolve=lambda *_: list(addresses), **options)


def test_one_forbidden_address_among_others_is_refused(port: int):
    backend = to("127.0.0.1", "10.0.0.1", allowed=lambda address: address != "10.0.0.1")
    with pytest.raises(AddressRefused, match="leads to a private"):
        backend.connect_tcp("example.com", port, soon())


def test_the_next_address_is_tried(port: int):
    """Nothing listens on 127.0.0.2."""
    stream = to("127.0.0.2", "127.0.0.1").connect_tcp("example.com", port, soon())
    assert stream.read(4, soon()) == b"0123"
    stream.close()


def test_a_name_without_an_address_has_no_connection():
    with pytest.raises(httpcore2.ConnectError, match=r"no address of example\.com"):
        to().connect_tcp("example.com", 80, soon())


def test_no_more_bytes_are_read_than_allowed(port: int):
    stream = to("127.0.0.1", most_bytes=6).connect_tcp("example.com", port, soon())
    content = b""
    while len(content) < 6:
        content += stream.read(4, soon())
    assert content == b"012345"
    with pytest.raises(httpcore2.ReadError, match="more than 6 bytes"):
        stream.read(4, soon())
    stream.close()


def test_nothing_is_done_after_the_deadline(port: int):
    backend, past = to("127.0.0.1"), time.monotonic() - 1
    with pytest.raises(httpcore2.ConnectTimeout):
        backend.connect_tcp("example.com", port, past)
    stream = backend.connect_tcp("example.com", port, soon())
    with pytest.raises(httpcore2.ReadTimeout):
        stream.read(4, past)
    with pytest.raises(httpcore2.WriteTimeout):
        stream.write(b"x", past)
    stream.close()


def test_the_resolver_of_the_system_reads_addresses():
    assert resolve("127.0.0.1", 80, 0.0) == ["127.0.0.1"]
    with pytest.raises(httpcore2.ConnectError):
        resolve(f"{'a' * 64}.example", 80, 0.0)
