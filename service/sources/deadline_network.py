"""TCP connections for httpcore with a hard deadline, to addresses that may be restricted.

It is a separate module because the HTTP library is slow to import and not every process needs it.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from service.sources.sessions import in_time

Resolve = Callable[[str, int, float], list[str]]


class AddressRefused(httpcore2.ConnectError):
    """The name leads to an address that is not allowed."""


def resolve(host: str, port: int, end: float) -> list[str]:
    """The addresses of a name; the system's resolver cannot be interrupted, so it is abandoned at the instant `end`."""
    try:
        records = in_time(end - time.monotonic(), lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except TimeoutError:
        raise httpcore2.ConnectTimeout("the name was not resolved in time") from None
    except (OSError, UnicodeError) as error:
        raise httpcore2.ConnectError(str(error)) from error
    return [str(address[0]) for *_, address in records]


class DeadlineBackend(httpcore2.NetworkBackend):
    """Opens streams whose `timeout` is an instant of the monotonic clock.

    A name is resolved once, and the connection is made to an address that was then resolved. All of them must be
    `allowed`, None for any; otherwise AddressRefused is raised, so that a name cannot hide a forbidden address among
    others. A connection fails once it has read `most_bytes`, headers included.
    """

    def __init__(
        self, allowed: Callable[[str], bool] | None = None, resolve: Resolve = resolve, most_bytes: float = math.inf
    ) -> None:
        self._inner = httpcore2.SyncBackend()
        self._most_bytes = most_bytes
        self._allowed = allowed
        self._resolve = resolve

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        assert timeout is not None  # every user of this backend sets all timeouts
        # The addresses are tried here, because the library would give each of them the full timeout.
        addresses = self._resolve(host, port, timeout)
        if self._allowed and not all(map(self._allowed, addresses)):
            raise AddressRefused(f"{host} leads to a private or reserved address")
        failure = httpcore2.ConnectError(f"no address of {host}")
        for address in addresses:
            try:
                left = _left(timeout, httpcore2.ConnectTimeout)
                inner = self._inner.connect_tcp(address, port, left, local_address, socket_options)
                return _Stream(inner, self._most_bytes)
            except httpcore2.ConnectError as error:
                failure = error
        raise failure


class _Stream(httpcore2.NetworkStream):
    """A connection of DeadlineBackend."""

    def __init__(self, inner: httpcore2.NetworkStream, most_bytes: float) -> None:
        self._inner = inner
        self._most_bytes = most_bytes
        self._count = 0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._count >= self._most_bytes:
            raise httpcore2.ReadError(f"more than {self._most_bytes} bytes")
        left = _left(timeout, httpcore2.ReadTimeout)
        piece = self._inner.read(int(min(max_bytes, self._most_bytes - self._count)), left)
        self._count += len(piece)
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._most_bytes)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(end: float | None, timeout: type[httpcore2.TimeoutException]) -> float:
    assert end is not None  # every user of this backend sets all timeouts
    left = end - time.monotonic()
    if left <= 0:
        raise timeout("the deadline has passed")
    return left
