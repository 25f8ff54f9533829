"""The events of the ledger as they happen, as server-sent events."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Annotated

import structlog
from flask import Blueprint, Flask, Response, current_app, request
from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy.exc import SQLAlchemyError

from service.access.quota import EVENT_STREAMS, HELD_STREAMS, NETWORK_FACTOR, wide_network
from service.api import streaming
from service.api.auth import Caller, KeyHolder
from service.api.inputs import Query, split_commas
from service.api.ledger import LAST_SEQ
from service.api.operations import operation
from service.api.streaming import BEAT_S, Checkpoint, Events, StreamEvent
from service.documents import World
from service.errors import Busy, FieldError, InvalidRequest
from service.market.assets import ASSETS, AssetCode
from service.notifications.events import EVENT, EVENT_TYPES, Event, EventFilter, EventType
from service.store import ledger, notifications
from service.store.database import Database
from service.store.notifications import EventPage

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

EXTENSION = "ninefold-open-streams"
RETRY_S = 10
LOOK_S = 1.0
EVERYBODY, UNPAID = "everybody", "unpaid"
SERVER_SHARE = "As many event streams are open as this server allows."
PARTY_SHARE = "As many event streams are open from this address or key as it may hold."

log = structlog.stdlib.get_logger(__name__)


@dataclass(eq=False)
class OpenStream:
    """A stream of one caller, which counts in some groups. It has to end once `is_over`."""

    caller: str
    groups: frozenset[str]
    is_over: bool = False


class OpenStreams:
    """At most `capacity` streams, a quarter of them for paid keys alone, and few of one address or key.

    A caller has EVENT_STREAMS, whose next one ends the oldest: a cut connection is noticed at the next write only, so
    a client that reconnects must not be refused for streams that it no longer reads.
    """

    def __init__(self, capacity: int, database: Database, world: World) -> None:
        self._capacity, self._database = capacity, database
        self._world: World = world
        self._changed, self._reading = Condition(), Lock()  # the ledger has grown, or a stream has to end
        self._streams: list[OpenStream] = []
        self._stop = threading.Event()
        self._follower = Thread()
        self._head, self._start, self._page = 0, 0, EventPage((), {}, 0)

    def look(self) -> int:
        """The number of the last row of the ledger now; where it has grown, all streams are woken."""
        with self._database.reading() as db:
            head = ledger.last_seq(db)
        with self._changed:
            if head != self._head:
                self._head = head
                self._changed.notify_all()
        return head

    def wait(self, stream: OpenStream, seq: int, seconds: float) -> None:
        """Wait until there is a row after row `seq` or the stream has to end."""
        with self._changed:
            self._changed.wait_for(lambda: stream.is_over or self._head > seq, seconds)

    def events_after(self, seq: int) -> EventPage:
        """The events that follow row `seq`, read once for all streams that have come as far."""
        if seq >= self._head:
            return EventPage((), {}, seq)
        with self._reading:
            if self._start != seq or self._page.last < self._head:
                with self._database.reading() as db:
                    self._start, self._page = seq, notifications.events_after(db, seq, self._world)
            return self._page

    def open(self, caller: Caller, network: str | None) -> OpenStream:
        """A stream of a caller, `network` is its /48; raises Busy when a group is full or the server stops."""
        groups = dict(self._groups(caller, network))
        with self._changed:
            for group, share in groups.items():
                if self._stop.is_set() or sum(group in stream.groups for stream in self._streams) >= share:
                    raise Busy(SERVER_SHARE if group in (EVERYBODY, UNPAID) else PARTY_SHARE, retry_after_s=RETRY_S)
            streams = [stream for stream in self._streams if stream.caller == caller.id]
            for oldest in streams[: max(0, len(streams) + 1 - EVENT_STREAMS)]:
                oldest.is_over = True
            self._changed.notify_all()
            stream = OpenStream(caller.id, frozenset(groups))
            self._streams.append(stream)
            if not self._follower.is_alive():
                self._follower = Thread(target=self._follow, name="events", daemon=True)
                self._follower.start()
        return stream

    def _groups(self, caller: Caller, network: str | None) -> Iterator[tuple[str, int]]:
        """The groups that a stream counts in, each with the most streams that it may hold."""
        yield EVERYBODY, self._capacity
        yield caller.id, HELD_STREAMS
        if isinstance(caller, KeyHolder) and caller.end_user is not None:
            yield f"end users of {caller.key_id}", max(1, self._capacity // 4)
        elif not isinstance(caller, KeyHolder) or caller.plan != "paid":
            yield UNPAID, self._capacity - self._capacity // 4
            yield f"at {caller.address}", HELD_STREAMS
            if network:
                yield f"at {network}", HELD_STREAMS * NETWORK_FACTOR

    def close(self, stream: OpenStream) -> None:
        """Give the place of a stream back; closing it again changes nothing."""
        with self._changed:
            self._streams = [other for other in self._streams if other is not stream]

    def stop(self) -> None:
        """End every stream, so that the server need not wait for them; clients continue at the next start."""
        with self._changed:
            self._stop.set()
            for stream in self._streams:
                stream.is_over = True
            self._changed.notify_all()

    def _follow(self) -> None:
        """Look at the ledger once a second, until no stream is open."""
        while not self._stop.wait(LOOK_S):
            with self._changed:
                if not self._streams:
                    self._follower = Thread()
                    return
            try:
                self.look()
            except SQLAlchemyError as error:
                log.warning("events_unread", error=type(error).__name__)


class Places:
    """So many places for requests at a time, in the order in which they came; to be used with `with`.

    Under load, a semaphore of the standard library lets those that come later pass: the slowest request of a hundred
    took ten times as long.
    """

    def __init__(self, count: int) -> None:
        self._count, self._lock = count, Lock()
        self._queue: deque[Lock] = deque()

    def __enter__(self) -> None:
        with self._lock:
            if self._count:
                self._count -= 1
                return
            turn = Lock()
            turn.acquire()
            self._queue.append(turn)
        turn.acquire()

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            if self._queue:
                self._queue.popleft().release()
            else:
                self._count += 1


def register(app: Flask) -> None:
    """Give `app` its streams, as many as EVENT_STREAMS allows, and THREADS places for the requests beside them.

    A server has a thread for each of both.
    """
    services = app.extensions["ninefold"]
    settings, inner = services.settings, app.wsgi_app
    app.extensions[EXTENSION] = OpenStreams(settings.event_streams, services.database, services.clock.world)
    places = Places(settings.threads)

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with places:
            return inner(environ, start_response)

    app.wsgi_app = wsgi_app


def streams_of(app: Flask) -> OpenStreams:
    return app.extensions[EXTENSION]


event_stream = Blueprint("event_stream", __name__, url_prefix="/api/v1/events")

LONGEST_S = 300
HEADER = "Last-Event-ID"
NUMBER = re.compile("[0-9]{1,18}")
HEADER_PARAMETER = {
    "name": HEADER,
    "description": "the last `id` that you saw: the stream continues after it",
    "schema": {"type": "string", "pattern": f"^{NUMBER.pattern}$"},
}


def _listing(names: tuple[str, ...]) -> WithJsonSchema:
    name = "|".join(re.escape(name) for name in names)
    return WithJsonSchema({"type": "string", "pattern": f"^({name})(,({name}))*$", "examples": [names[0]]})


TypeList = Annotated[tuple[EventType, ...], BeforeValidator(split_commas), _listing(EVENT_TYPES)]
AssetList = Annotated[tuple[AssetCode, ...], BeforeValidator(split_commas), _listing(tuple(ASSETS))]


class Wanted(Query):
    """Which events are wanted, and for how long."""

    events: TypeList | None = Field(None, description="these types alone, with commas between them")
    assets: AssetList | None = Field(None, description="events about these assets alone, with commas between them")
    after_seq: int | None = Field(
        None,
        ge=0,
        le=LAST_SEQ,
        description="begin after this row of the ledger; without it with what comes from now on",
    )
    optional: bool = Field(False, description="where no stream is free, answer 204, without an error, instead of 503")
    seconds: int = Field(LONGEST_S, ge=1, le=LONGEST_S, description="after so many seconds the stream ends; reconnect")


@event_stream.get("")
@operation(
    tag="Events",
    limit="streams",
    key="welcome",
    returns=Event,
    media=streaming.MEDIA,
    headers=(HEADER_PARAMETER,),
    raises=(InvalidRequest, Busy),
)
def stream(query: Wanted, caller: Caller) -> Response:
    """Events as they happen, as server-sent events; the same ones that webhooks deliver.

    `id` is the number of the event's row in the ledger, `event` its type and `data` an Event. The stream ends after
    five minutes, and the oldest of a caller when a fifth begins; an address without a paid key has at most eight.
    Browsers reconnect by themselves and send `Last-Event-ID`, so that every event comes once. Resolved answers of the
    oracle are sent to their own key alone; everything else is public and needs no key. After the world was taken back
    to a backup, events may come again with new ids; corrections with `rewound_to` in the ledger name those that do not
    count. An `id` without an event says every ten seconds how far the stream has come.
    """
    last_id = request.headers.get(HEADER)
    if last_id is not None and not NUMBER.fullmatch(last_id):
        message = "must be the id of an event, a number"
        raise InvalidRequest(f"The {HEADER} header is not valid.", [FieldError(HEADER, message, place="header")])
    streams = streams_of(current_app)
    head = streams.look()
    chosen = query.after_seq if last_id is None else int(last_id)
    seq = head if chosen is None else min(chosen, head)
    reader = caller.id if isinstance(caller, KeyHolder) else None
    ends_at = time.monotonic() + query.seconds
    try:
        stream = streams.open(caller, wide_network(request.remote_addr))
    except Busy:
        if not query.optional:
            raise
        return Response(status=204)
    selection = EventFilter(query.events or (), query.assets or ())
    pieces = _pieces(streams, stream, seq, selection, reader, ends_at)
    return streaming.respond(pieces, partial(streams.close, stream))


def _pieces(
    streams: OpenStreams, stream: OpenStream, seq: int, selection: EventFilter, reader: str | None, ends_at: float
) -> Events:
    """The events after row `seq` in the selection that the caller `reader` may see.

    There is a checkpoint at both ends and whenever nothing was sent for ten seconds.
    """
    yield Checkpoint(seq)
    silent_since = now = time.monotonic()
    while now < ends_at and not stream.is_over:
        page = streams.events_after(seq)
        is_last_page, seq = page.last == seq, page.last
        for event in page.visible_to(reader):
            if selection.accepts(event):
                yield StreamEvent(event.type, EVENT.dump_json(event), event.id)
                silent_since = time.monotonic()
        if is_last_page:
            streams.wait(stream, seq, min(silent_since + BEAT_S, ends_at) - now)
        now = time.monotonic()
        if now - silent_since >= BEAT_S:
            yield Checkpoint(seq)
            silent_since = now
    yield Checkpoint(seq)
