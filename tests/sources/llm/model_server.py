"""A server of language models on this machine, which misbehaves as it is told to."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event

from tests.sources.servers import Server

Behaviour = Callable[["Handler"], None]


def vote_text(probability: object = 62, reasoning: object = "Momentum is up.", *, higher: int | None = None) -> str:
    """An answer of a model, without a view of the price unless `higher` is given."""
    view = {} if higher is None else {"probability_higher": higher}
    return json.dumps({"reasoning": reasoning, "probability_yes": probability} | view)


@dataclass
class ModelServer:
    """`behaviours` answer one request each, the last one all that follow. `requests` and `headers` are what arrived."""

    behaviours: list[Behaviour] = field(default_factory=list)
    requests: list[dict] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closing: Event = field(default_factory=Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    address: str = ""

    def next(self) -> Behaviour:
        with self.lock:
            return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]

    @property
    def modes(self) -> list[str]:
        """The kinds of answer that were asked for."""
        forms = [body.get("response_format", {"type": "text"}) for body in self.requests]
        return [form["type"] + ("+schema" if "schema" in form else "") for form in forms]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: ModelServer

    def do_POST(self) -> None:
        self.server_of.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server_of.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server_of.next()(self)

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        """The head of an answer that lasts until the connection is closed."""
        self.close_connection = True
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def drip(self, content: bytes, every_s: float) -> None:
        """Send it byte by byte, for ever where it ends."""
        while True:
            for byte in content:
                self.wfile.write(bytes([byte]))
                if self.server_of.closing.wait(every_s):
                    return

    def log_message(self, *arguments) -> None:
        pass


def events(text: str, size: int = 8, usage: tuple[int, int] | None = (900, 40)) -> bytes:
    """The answer `text` as a model streams it: pieces of `size` characters, how it ended, what it cost."""
    pieces = [
        {"choices": [{"index": 0, "delta": {"content": text[at : at + size]}}]} for at in range(0, len(text), size)
    ]
    pieces.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if usage:
        pieces.append({"choices": [], "usage": dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))})
    lines = [f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk'} | piece)}\n\n" for piece in pieces]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def answers(text: str, **options) -> Behaviour:
    """It says `text`."""
    return sends(events(text, **options))


def sends(content: bytes, kind: str = "text/event-stream") -> Behaviour:
    def behave(handler: Handler) -> None:
        handler.begin(kind=kind)
        handler.wfile.write(content)

    return behave


def refuses(status: int, message: str = "no", code: str | None = None, **headers: str) -> Behaviour:
    def behave(handler: Handler) -> None:
        handler.begin(status, "application/json", **headers)
        handler.wfile.write(json.dumps({"error": {"message": message, "type": "x", "code": code}}).encode())

    return behave


def hangs(handler: Handler) -> None:
    """It takes the question and says nothing."""
    handler.server_of.closing.wait(30)


def hangs_after(content: bytes) -> Behaviour:
    def behave(handler: Handler) -> None:
        handler.begin()
        handler.wfile.write(content)
        handler.server_of.closing.wait(30)

    return behave


def drips(content: bytes, status: int | None = 200) -> Behaviour:
    """It sends an answer byte by byte; without a `status` the content begins with the head."""

    def behave(handler: Handler) -> None:
        if status:
            handler.begin(status)
        handler.drip(content, 0.1)

    return behave


# A line of a comment is never an event: whoever looks at events alone never wakes.
DRIPS = {"body": drips(events(vote_text())), "comment": drips(b":" + b"." * 99), "refusal": drips(b" ", 503)}
DRIPS |= {"head": drips(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"." * 9000, None)}


def resets(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # What is closed here last sends the reset.
    handler.wfile.close()
    handler.rfile.close()
    handler.connection.close()


def breaks_off(handler: Handler) -> None:
    """It announces more than it sends."""
    handler.begin(Content_Length="100000")
    handler.wfile.write(events(vote_text())[:200])


@contextmanager
def serving() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until it is told otherwise."""
    server = ModelServer([answers(vote_text())])
    with Server(Handler, server_of=server) as http:
        server.address = f"http://127.0.0.1:{http.server_port}/v1"
        yield server
        server.closing.set()
