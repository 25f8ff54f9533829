"""HTTP and SOCKS5 proxies on this machine, for which every name is a server of this machine."""

from __future__ import annotations

import base64
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler
from threading import Event, Thread
from urllib.parse import urlsplit

from tests.sources.servers import Server

REFUSAL = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
BAD_GATEWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
SUCCESS, NO_HOST = b"\x00", b"\x04"


@dataclass
class ProxyServer:
    """A proxy under test.

    `requests` are those so far: "GET http://host/path", "CONNECT host:443" or "SOCKS host:443". With a `password`
    ("name:password") it refuses everybody else. One that `hangs` accepts connections and never answers.
    """

    scheme: str
    requests: list[str] = field(default_factory=list)
    password: str = ""
    hangs: bool = False
    closing: Event = field(default_factory=Event)
    port: int = 0

    @property
    def address(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def with_password(self, password: str) -> str:
        """The address with a name and a password."""
        return f"{self.scheme}://{password}@127.0.0.1:{self.port}"


class ProxyHandler(StreamRequestHandler):
    proxy: ProxyServer

    def handle(self) -> None:
        if self.proxy.hangs:
            self.proxy.closing.wait()
        elif self.proxy.scheme == "http":
            self.serve_http()
        else:
            self.serve_socks()

    def serve_http(self) -> None:
        head = list(iter(self.rfile.readline, b"\r\n"))
        method, target, version = head[0].decode().split()
        self.proxy.requests.append(f"{method} {target}")
        credentials = base64.b64encode(self.proxy.password.encode()).decode()
        if self.proxy.password and f"Proxy-Authorization: Basic {credentials}\r\n".encode() not in head:
            self.wfile.write(REFUSAL)
            return
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        with connection_to(parts.port, lambda: self.wfile.write(BAD_GATEWAY)) as server:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = target.partition(parts.netloc)[2]
                header_lines = [line for line in head[1:] if not line.lower().startswith((b"proxy-", b"connection:"))]
                head_line = f"{method} {path} {version}\r\nConnection: close\r\n".encode()
                server.sendall(head_line + b"".join(header_lines) + b"\r\n")
            self.relay(server)

    def serve_socks(self) -> None:
        _, count = self.rfile.read(2)
        self.rfile.read(count)
        self.wfile.write(b"\x05\x02" if self.proxy.password else b"\x05\x00")
        if self.proxy.password and not self.is_let_in():
            return
        _, _, _, kind = self.rfile.read(4)
        host = socket.inet_ntoa(self.rfile.read(4)) if kind == 1 else self.text()
        (port,) = struct.unpack(">H", self.rfile.read(2))
        self.proxy.requests.append(f"SOCKS {host}:{port}")
        with connection_to(port, lambda: self.reply(NO_HOST)) as server:
            self.reply(SUCCESS)
            self.relay(server)

    def is_let_in(self) -> bool:
        self.rfile.read(1)
        is_right = f"{self.text()}:{self.text()}" == self.proxy.password
        self.wfile.write(b"\x01\x00" if is_right else b"\x01\x01")
        return is_right

    def text(self) -> str:
        return self.rfile.read(self.rfile.read(1)[0]).decode()

    def reply(self, status: bytes) -> None:
        self.wfile.write(b"\x05" + status + b"\x00\x01" + bytes(6))

    def relay(self, server: socket.socket) -> None:
        """Pass on both directions until the server has closed its own."""
        Thread(target=copy, args=(self.rfile.read1, server.sendall), daemon=True).start()
        copy(server.recv, self.wfile.write)
        self.connection.shutdown(socket.SHUT_RDWR)


def copy(read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
    try:
        while piece := read(65536):
            write(piece)
    except (OSError, ValueError):
        """The other direction has ended and closed the connection."""


@contextmanager
def connection_to(port: int | None, on_failure: Callable[[], object]) -> Iterator[socket.socket]:
    """A connection to a port of this machine; `failed` is called where there is none."""
    try:
        server = socket.create_connection(("127.0.0.1", port or 80))
    except OSError:
        on_failure()
        raise
    with server:
        yield server


@contextmanager
def proxying(scheme: str) -> Iterator[ProxyServer]:
    """A proxy, `http` or `socks5` or `socks5h`."""
    proxy = ProxyServer(scheme)
    with Server(ProxyHandler, proxy=proxy) as server:
        proxy.port = server.server_port
        yield proxy
        proxy.closing.set()
