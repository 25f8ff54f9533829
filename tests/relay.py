"""A relay to a TCP server that can be cut, so that an outage needs no stopping of the server."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread

from tests.processes import free_port
from tests.sources.proxy_servers import copy


class Relay:
    """Passes on what clients and a server say to each other; once it is cut, it ends and refuses all connections."""

    def __init__(self, host: str, port: int) -> None:
        self._server = host, port
        self._open: set[socket.socket] = set()
        self.port = free_port()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._begin()

    def cut(self) -> None:
        """End all connections and refuse new ones; the port stays its own."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for connection in list(self._open):
            _end(connection, socket.SHUT_RDWR)

    def mend(self) -> None:
        """Pass on connections again."""
        self._listener.listen()
        self._begin()

    def _begin(self) -> None:
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):  # it was cut
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._open |= {client, server}
                Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            back = Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server)
            back.join()
        self._open -= {client, server}


def _copy(source: socket.socket, target: socket.socket) -> None:
    copy(source.recv, target.sendall)
    _end(target, socket.SHUT_WR)


def _end(connection: socket.socket, how: int) -> None:
    with suppress(OSError):  # its other end is gone
        connection.shutdown(how)
