"""A closed-loop HTTP load on one core: a fixed number of kept-alive connections, each asking again once answered.

Connections come from addresses of their own (127.0.0.0/8, so Linux), each for fewer requests than a public
limit allows in a minute: what is measured has its limits on, and a refused answer counts as a failure.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

PER_ADDRESS = 100


@dataclass
class Load:
    """What a load saw: latencies in seconds, answers that were not wanted, and how long it ran."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile_ms(self, share: float) -> float:
        """The latency in milliseconds that `share` (0-1) of the requests did not exceed."""
        ranking = sorted(self.latencies)
        return 1000 * ranking[min(len(ranking) - 1, int(share * len(ranking)))]


class Connection:
    """One socket, the request it is waiting for, and the address it comes from."""

    def __init__(self, port: int, source: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.left = PER_ADDRESS
        self.pending = b""
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        self.pending = b""
        self.left -= 1
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """The whole answer once it is there."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("the server closed the connection")
        self.pending += chunk
        head, separator, body = self.pending.partition(b"\r\n\r\n")
        if not separator or len(body) < _content_length(head):
            return None
        return self.pending


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line[15:])
    return 0


def get(path: str) -> bytes:
    """A GET as a browser or a library would send it: kept alive, compression accepted."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\nAccept: */*\r\n\r\n".encode()


def sources(first: int = 1) -> Iterator[str]:
    """Loopback addresses, each one once."""
    for number in range(first, 2**22):
        yield f"127.{1 + number // 62500}.{number // 250 % 250}.{1 + number % 250}"


def run(port: int, path: str, *, seconds: float, connections: int, addresses: Iterator[str]) -> Load:
    """Ask `path` over and over for `seconds`; `connections` of 1 gives plain latency, more gives throughput."""
    request, load, selector = get(path), Load(), selectors.DefaultSelector()

    def open_one() -> None:
        connection = Connection(port, next(addresses))
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(request)

    start = time.perf_counter()
    for _ in range(connections):
        open_one()
    while (now := time.perf_counter()) < start + seconds:
        for event, _ in selector.select(timeout=1):
            connection = event.data
            answer = connection.receive()
            if answer is None:
                continue
            now = time.perf_counter()
            load.latencies.append(now - connection.sent_at)
            load.failures += not answer.startswith(b"HTTP/1.1 200")
            if connection.left:
                connection.send(request)
                continue
            selector.unregister(connection.socket)
            connection.socket.close()
            open_one()
    load.seconds = now - start
    for key in list(selector.get_map().values()):
        key.data.socket.close()
    return load


def rate(port: int, path: str, *, seconds: float, connections: int, addresses: Iterator[str]) -> float:
    """Answers a second under such a load; an answer that is not 200 is an error."""
    result = run(port, path, seconds=seconds, connections=connections, addresses=addresses)
    if result.failures:
        raise RuntimeError(f"{result.failures} of {len(result.latencies)} answers to {path} were not 200")
    return result.per_second
