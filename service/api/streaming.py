"""An answer as server-sent events on the request itself, for callers that accept them.

The status is sent before the outcome is known. A later refusal is therefore the last event; the charge is settled or
refunded here. A server may take each piece in another thread, so every piece is made in a copy of the context in which
the request was read.

A stream ends when its caller disconnects, unless it is kept under an Idempotency-Key: then it is read to its end here,
so that a retry gets the answer that was charged.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass

from flask import Response, current_app, request

from service.api.windows import refund, settle

MEDIA = "text/event-stream"
BEAT_S = 10.0  # proxies close a connection that is silent for 30 to 60 s
HEARTBEAT = b": still being answered\n\n"


@dataclass(frozen=True)
class StreamEvent:
    """A piece of an answer; `data` is JSON on one line. A client that reconnects sends the last `id` that it saw."""

    name: str
    data: bytes
    id: int | None = None


@dataclass(frozen=True)
class Checkpoint:
    """The `id` to continue from, without an event; a client reconnects a second after the end."""

    id: int


Events = Generator[StreamEvent | Checkpoint | None]


def wanted() -> bool:
    return request.accept_mimetypes.best_match(["application/json", MEDIA]) == MEDIA


def respond(events: Events, on_end: Callable[[], None]) -> Response:
    """The events as they arrive, a comment for each None, and an `error` event when they fail.

    `on_end` is called once or more at the end, also when the caller disconnects early.
    """
    headers = {"X-Accel-Buffering": "no"}  # nginx would buffer the events until the last one
    return Response(_Pieces(events, on_end), headers=headers, mimetype=MEDIA)


def keep(response: Response, keep_body: Callable[[bytes | None], None]) -> bool:
    """Read this response to its end even if the caller disconnects; False if it was not made by `respond`.

    Then `keep_body` is called with the data of the last event, or with None if the events failed.
    """
    if not isinstance(response.response, _Pieces):
        return False
    response.response.keep_body = keep_body
    return True


def _text(event: StreamEvent | Checkpoint) -> bytes:
    if isinstance(event, Checkpoint):
        return b"retry: 1000\nid: %d\n\n" % event.id
    number = b"" if event.id is None else b"id: %d\n" % event.id
    return b"event: %s\n%sdata: %s\n\n" % (event.name.encode(), number, event.data)


class _Pieces:
    """The pieces that a server sends one by one; it closes them at the end or when the caller disconnects."""

    def __init__(self, events: Events, on_end: Callable[[], None]) -> None:
        self.keep_body: Callable[[bytes | None], None] | None = None
        self._body: bytes | None = None
        self._events, self._on_end = events, on_end
        self._pieces = self._written()
        self._context = copy_context()

    def __iter__(self) -> _Pieces:
        return self

    def __next__(self) -> bytes:
        return self._context.run(next, self._pieces)

    def close(self) -> None:
        keep_body, self.keep_body = self.keep_body, None
        if keep_body:
            for _ in self:
                pass
        self._context.run(self._pieces.close)
        self._on_end()  # a generator that never started does not run its `finally`
        self._context.run(settle)
        if keep_body:
            self._context.run(keep_body, self._body)

    def _written(self) -> Generator[bytes]:
        last = None
        try:
            for event in self._events:
                last = event or last
                yield _text(event) if event else HEARTBEAT
            self._body = last.data if isinstance(last, StreamEvent) else None
        except Exception as error:
            refund()
            problem = current_app.make_response(current_app.handle_user_exception(error))
            yield _text(StreamEvent("error", problem.get_data()))
        finally:
            self._events.close()
            self._on_end()
