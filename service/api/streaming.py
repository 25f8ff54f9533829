"""An answer as server-sent events on the request itself, for callers that accept them.

The status is sent before the outcome is known. A later refusal is therefore the last event; the charge is settled or
refunded here. A server may take each piece in another thread, so every piece is made in a copy of the context in which
the request was read.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass

from flask import Response, current_app, request

from service.api.charging import refund, settle

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
    """The `id` to continue from, without an event, and the pause before a client reconnects."""

    id: int
    retry_ms: int = 1000


Events = Generator[StreamEvent | Checkpoint | None]


def wanted() -> bool:
    """Whether this request prefers a stream to a document."""
    return request.accept_mimetypes.best_match(["application/json", MEDIA]) == MEDIA


def respond(events: Events, ended: Callable[[], None]) -> Response:
    """The events as they arrive, a comment for each None, and an `error` event when they fail.

    `ended` is called once or more at the end, also when the caller disconnects early.
    """
    headers = {"X-Accel-Buffering": "no"}  # nginx would buffer the events until the last one
    return Response(_Pieces(_written(events, ended), ended), headers=headers, mimetype=MEDIA)


def _written(events: Events, ended: Callable[[], None]) -> Generator[bytes]:
    try:
        for event in events:
            yield _text(event) if event else HEARTBEAT
    except Exception as error:
        refund()
        problem = current_app.make_response(current_app.handle_user_exception(error))
        yield _text(StreamEvent("error", problem.get_data()))
    finally:
        events.close()
        ended()


def _text(event: StreamEvent | Checkpoint) -> bytes:
    if isinstance(event, Checkpoint):
        return b"retry: %d\nid: %d\n\n" % (event.retry_ms, event.id)
    number = b"" if event.id is None else b"id: %d\n" % event.id
    return b"event: %s\n%sdata: %s\n\n" % (event.name.encode(), number, event.data)


class _Pieces:
    """The pieces that a server sends one by one; it closes them at the end or when the caller disconnects."""

    def __init__(self, pieces: Generator[bytes], ended: Callable[[], None]) -> None:
        self._pieces, self._ended = pieces, ended
        self._context = copy_context()

    def __iter__(self) -> _Pieces:
        return self

    def __next__(self) -> bytes:
        return self._context.run(next, self._pieces)

    def close(self) -> None:
        self._context.run(self._pieces.close)
        self._ended()  # a generator that never started does not run its `finally`
        self._context.run(settle)
