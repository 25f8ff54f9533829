"""An answer as it comes: server-sent events on the request that asked, for whoever accepts them.

The status is sent before anybody knows how the answer ends. So a refusal that comes later is the last event, and
what was charged is given back here. A server may ask for each piece in another thread, so every piece is made in a
copy of the context in which the request was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass

from flask import Response, current_app, request

from service.api.limits import give_back

MEDIA = "text/event-stream"
BEAT_S = 10.0  # proxies close what says nothing for 30 to 60 s
BEAT = b": still being answered\n\n"


@dataclass(frozen=True)
class Event:
    """A piece of an answer; `data` is JSON on one line."""

    name: str
    data: bytes


Events = Iterator[Event | None]


def wanted() -> bool:
    """Whether this request likes a stream better than a document."""
    return request.accept_mimetypes.best_match(["application/json", MEDIA]) == MEDIA


def respond(events: Events, ended: Callable[[], None]) -> Response:
    """The events as they come, a comment for each None among them, and an `error` where they fail.

    `ended` is called at the end, also when the caller goes away before: once or more.
    """
    headers = {"X-Accel-Buffering": "no"}  # nginx would keep the events until the last one
    return Response(_Pieces(_written(events, ended), ended), headers=headers, mimetype=MEDIA)


def _written(events: Events, ended: Callable[[], None]) -> Iterator[bytes]:
    try:
        for event in events:
            yield _text(event) if event else BEAT
    except Exception as error:
        give_back()
        yield _text(Event("error", current_app.handle_user_exception(error).get_data()))
    finally:
        events.close()
        ended()


def _text(event: Event) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (event.name.encode(), event.data)


class _Pieces:
    """What a server sends one by one and closes at the end, or when nobody takes it any more."""

    def __init__(self, pieces: Iterator[bytes], ended: Callable[[], None]) -> None:
        self._pieces, self._ended = pieces, ended
        self._context = copy_context()

    def __iter__(self) -> _Pieces:
        return self

    def __next__(self) -> bytes:
        return self._context.run(next, self._pieces)

    def close(self) -> None:
        self._context.run(self._pieces.close)
        self._ended()  # where not one piece was asked for, the pieces did not say so
