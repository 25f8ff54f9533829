"""A server on this machine for handlers of any protocol, whose callers may go away at any time."""

from __future__ import annotations

import ssl
from http.server import ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler
from threading import Thread
from typing import Any, Self


class Server(ThreadingHTTPServer):
    """Handlers have `fields`; with a `certificate` they speak TLS. It listens inside of a `with` block."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, handler: type[BaseRequestHandler], certificate: Path | None = None, **fields: Any) -> None:
        super().__init__(("127.0.0.1", 0), type("BoundHandler", (handler,), fields))
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def __enter__(self) -> Self:
        self.thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self.thread.join()

    def handle_error(self, request, client_address) -> None:
        """A client that goes away in the middle of an answer is what these tests are about."""
