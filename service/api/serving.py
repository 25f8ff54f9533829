"""The server inside `python app.py`, and the command line of granian, the server for many requests.

Waitress is corrected in four places: on SIGTERM it drops requests in progress, it closes the connection after a 304,
it refuses oversized or malformed requests in plain text, and it lets one address keep all connections with requests
that never end.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import structlog
from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask, WSGITask

from service import logs
from service.api.errors import problem, refusal
from service.api.event_stream import streams_of
from service.config import Settings, SettingsError
from service.errors import NinefoldError, ServiceUnavailable
from service.supervisor import stop_signals

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

CONNECTION_LIMIT = 1000  # beside those of event streams
MAX_HEADER_BYTES = 32 * 1024
# The application itself refuses a body above 16 KiB; a much larger body is not even received.
MAX_RECEIVED_BYTES = 64 * 1024
DRAIN_S = 20
RETRY_S = 2  # after an answer from before the application was there
# The whole of a request, head and body, must arrive in this time; so must the first byte on a new connection.
REQUEST_S = 20
# Behind a reverse proxy all connections come from one address, and the proxy has the limit.
CONNECTIONS_PER_ADDRESS = CONNECTION_LIMIT // 4
FREE_CONNECTIONS = 50  # so many places are kept free for those who ask now
GRANIAN_LOG_CONFIG = Path(__file__).with_name("granian-logging.json")  # granian's lines in the form of all others

log = structlog.stdlib.get_logger(__name__)


class PortTaken(NinefoldError):
    """Another process already listens on the port."""

    code = "port_taken"


def serve(app: Flask, settings: Settings, announce: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT, then finish the requests in progress, for at most 20 s.

    `announce` is called once the port is open. Raises PortTaken. A second signal ends the process at once.
    """
    sockets: dict = {}
    listener = open_port(settings.host, settings.port)
    # With one listener waitress makes one server; its annotation also allows several.
    server: Any = create_server(
        app,
        map=sockets,
        sockets=[listener],
        threads=settings.threads + settings.event_streams,
        connection_limit=CONNECTION_LIMIT + settings.event_streams,
        max_request_header_size=MAX_HEADER_BYTES,
        max_request_body_size=MAX_RECEIVED_BYTES,
        clear_untrusted_proxy_headers=False,  # the application trusts them only from the configured proxies
        asyncore_use_poll=True,
        ident=None,
    )
    server.channel_class = _Channel if settings.trusted_proxies else _channel_of_address
    with stop_signals(server.pull_trigger) as stop:
        announce()
        while not stop.is_set():
            wasyncore.loop(timeout=1, use_poll=True, map=sockets, count=1)
            _close_late(server)
    streams_of(app).stop()
    server.del_channel()
    listener.close()
    _drain(server, sockets)


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens on the port; raises PortTaken, and SettingsError where there is no such host.

    Granian would share a port that is in use, so the port is tested before granian starts.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror:
        raise SettingsError(f"HOST: no such address: {host}. Use 127.0.0.1, or 0.0.0.0 for every network.") from None
    try:
        return socket.create_server(address, family=family, backlog=1024)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise PortTaken(f"cannot listen on {host}:{port}: {reason}. Choose another port with PORT=…") from None


def granian_command(settings: Settings, target: str = "app:create_app") -> list[str]:
    """The command line that serves `target`, a factory of the application, with one process beside others on the port.

    Where its process ends by itself, granian ends with exit code 1. It would replace several processes by itself, but
    after 3.5 s, whether their successors are ready or not.
    """
    options = {
        "interface": "wsgi",
        "host": settings.host,
        "port": settings.port,
        "blocking-threads": settings.threads + settings.event_streams,
        "backpressure": CONNECTION_LIMIT + settings.event_streams,
        "http1-buffer-size": MAX_HEADER_BYTES,
        "http1-header-read-timeout": REQUEST_S * 1000,
        "workers-kill-timeout": DRAIN_S,
        "log-level": logs.level_of(settings.log_level),
        "log-config": GRANIAN_LOG_CONFIG,
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "granian", "--factory", "--no-ws", *flags, target]


class Starting:
    """Answers 503 until `build` has given the application; `build` waits for whatever the application needs."""

    def __init__(self, build: Callable[[], Flask]) -> None:
        self._application: Flask | None = None
        Thread(target=self._run, args=(build,), name="starting", daemon=True).start()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if self._application is not None:
            return self._application(environ, start_response)
        logs.request_id.set(os.urandom(8).hex())
        answer = problem(503, ServiceUnavailable.code, "The service is starting.", retry_after_s=RETRY_S)
        return answer(environ, start_response)

    def _run(self, build: Callable[[], Flask]) -> None:
        try:
            self._application = build()
        except NinefoldError as error:  # as at a start with the database: the process ends
            log.error("not_started", detail=error.detail)
            os.kill(os.getpid(), signal.SIGTERM)


class _Task(WSGITask):
    def set_close_on_finish(self) -> None:
        """Keep the connection open after a response without a body: in HTTP/1.1 it needs no length."""
        # waitress declares the request of a task as one that failed to parse
        headers = self.request.headers  # pyright: ignore[reportAttributeAccessIssue]
        is_last = headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version != "1.1" or is_last:
            super().set_close_on_finish()


class _RefusalTask(ErrorTask):
    def execute(self) -> None:
        """Answer what waitress refuses with a problem document."""
        logs.request_id.set(os.urandom(8).hex())
        answer = refusal(self.request.error.code)  # pyright: ignore[reportAttributeAccessIssue]  # waitress is untyped
        body = answer.get_data()
        self.status = answer.status
        self.response_headers = [*self.response_headers, *answer.headers.to_wsgi_list()]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    """A connection; `waiting_since` is when it opened, or when its unfinished request began to arrive."""

    task_class = _Task
    error_task_class = _RefusalTask
    waiting_since: float | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.waiting_since = monotonic()

    def received(self, data: bytes) -> bool:
        since = self.waiting_since or monotonic()
        done = super().received(data)
        self.waiting_since = since if self.request is not None else None
        return done


def _channel_of_address(
    server: Any, connection: socket.socket, address: Any, *arguments: Any, **options: Any
) -> _Channel | None:
    """The channel of a new connection, which is closed at once where its address has too many."""
    channels = list(server.active_channels.values())
    if sum(channel.addr[0] == address[0] for channel in channels) >= CONNECTIONS_PER_ADDRESS:
        connection.close()
        return None
    return _Channel(server, connection, address, *arguments, **options)


def _close_late(server: Any) -> None:
    """Close the connections whose request did not arrive in time; where few places are free, others too.

    First those that a browser keeps for a next request, then the oldest of those whose request has not arrived.
    """
    before = monotonic() - REQUEST_S
    channels = list(server.active_channels.values())
    excess = len(channels) + FREE_CONNECTIONS - server.adj.connection_limit
    if excess > 0:
        idle = [channel for channel in channels if channel.waiting_since is None and _is_idle(channel)]
        for channel in sorted(idle, key=lambda channel: channel.last_activity)[:excess]:
            channel.will_close = True
        excess -= len(idle)
    waiting = [channel for channel in channels if channel.waiting_since is not None]
    queue = sorted(waiting, key=lambda channel: channel.waiting_since or 0.0)
    for place, channel in enumerate(queue):
        if place < excess or channel.waiting_since < before:
            channel.will_close = True


def _is_idle(channel: HTTPChannel) -> bool:
    """Whether no request is in progress and no response is left to send."""
    return not channel.requests and not channel.total_outbufs_len


def _drain(server: Any, sockets: dict) -> None:
    """Finish the responses in progress; connections are closed as they fall idle."""
    deadline = monotonic() + DRAIN_S
    while monotonic() < deadline:
        channels = list(server.active_channels.values())
        for channel in channels:
            if _is_idle(channel):
                channel.will_close = True
        if not channels:
            return
        wasyncore.loop(timeout=0.1, use_poll=True, map=sockets, count=1)
