"""The event streams that are open in this process: bounded, because each takes a thread of the server."""

from __future__ import annotations

from threading import Event, Lock

from flask import Flask, current_app

from service.access.quota import EVENT_STREAMS
from service.errors import Busy

EXTENSION = "ninefold-open-streams"
RETRY_S = 10


class OpenStream:
    """A stream of one caller. It is open until `close`, and has to end once `wait` returns False."""

    def __init__(self, streams: OpenStreams, caller: str) -> None:
        self._streams, self.caller = streams, caller
        self._ended = Event()

    def wait(self, seconds: float) -> bool:
        """Wait for the next look at the ledger; returns False when the stream has to end."""
        return not self._ended.wait(seconds)

    def end(self) -> None:
        self._ended.set()

    def close(self) -> None:
        """Give its place back; closing it again changes nothing."""
        self._streams.remove(self)


class OpenStreams:
    """At most `most` streams, and EVENT_STREAMS of one caller, whose next one ends the oldest.

    A cut connection is noticed at the next write only, so a client that reconnects must not be refused for streams
    that it no longer reads.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._streams: list[OpenStream] = []
        self._stopping = False

    def open(self, caller: str) -> OpenStream:
        """A stream of a caller; raises Busy when every place is taken or the server stops."""
        with self._lock:
            if self._stopping or len(self._streams) >= self._most:
                raise Busy("As many event streams are open as this server allows.", retry_after_s=RETRY_S)
            own = [stream for stream in self._streams if stream.caller == caller]
            for oldest in own[: max(0, len(own) + 1 - EVENT_STREAMS)]:
                oldest.end()
            stream = OpenStream(self, caller)
            self._streams.append(stream)
        return stream

    def remove(self, stream: OpenStream) -> None:
        """Forget a stream that is closed."""
        with self._lock:
            self._streams = [other for other in self._streams if other is not stream]

    def stop(self) -> None:
        """End every stream, so that the server need not wait for them; clients continue at the next start."""
        with self._lock:
            self._stopping = True
            for stream in self._streams:
                stream.end()


def register(app: Flask) -> None:
    """Give `app` its streams: as many as EVENT_STREAMS allows, at most half of its threads."""
    settings = app.extensions["ninefold"].settings
    app.extensions[EXTENSION] = OpenStreams(min(settings.event_streams, settings.threads // 2))


def of(app: Flask) -> OpenStreams:
    """The streams of an application."""
    return app.extensions[EXTENSION]


def current() -> OpenStreams:
    """The streams of the current application."""
    return of(current_app)
