"""The events of the ledger as they happen, as server-sent events."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from flask import Blueprint, Response, current_app, request
from pydantic import BeforeValidator, Field, WithJsonSchema

from service.api import streaming
from service.api.auth import Caller, KeyHolder, wide_network
from service.api.inputs import Query, split_commas
from service.api.ledger import LAST_SEQ
from service.api.open_streams import OpenStream, OpenStreams, streams_of
from service.api.operations import operation
from service.api.streaming import BEAT_S, Checkpoint, Events, StreamEvent
from service.errors import Busy, FieldError, InvalidRequest
from service.market.assets import ASSETS, AssetCode
from service.notifications.events import EVENT, EVENT_TYPES, Event, EventFilter, EventType

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
    """The schema of names with commas between them."""
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


@dataclass(frozen=True)
class _Subscriber:
    """What a stream sends: the events after row `seq` that pass the filter and that the caller `id` may see."""

    seq: int
    filter: EventFilter
    id: str | None
    ends_at: float


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
    streams = streams_of(current_app)
    head = streams.look()
    chosen = _last_event_id() if HEADER in request.headers else query.after_seq
    subscriber = _Subscriber(
        seq=head if chosen is None else min(chosen, head),
        filter=EventFilter(query.events or (), query.assets or ()),
        id=caller.id if isinstance(caller, KeyHolder) else None,
        ends_at=time.monotonic() + query.seconds,
    )
    try:
        stream = streams.open(caller, wide_network())
    except Busy:
        if not query.optional:
            raise
        return Response(status=204)
    return streaming.respond(_pieces(subscriber, stream, streams), partial(streams.close, stream))


def _last_event_id() -> int:
    value = request.headers[HEADER]
    if not NUMBER.fullmatch(value):
        message = "must be the id of an event, a number"
        raise InvalidRequest(f"The {HEADER} header is not valid.", [FieldError(HEADER, message, place="header")])
    return int(value)


def _pieces(subscriber: _Subscriber, stream: OpenStream, streams: OpenStreams) -> Events:
    """The events after a row, and a checkpoint at both ends and whenever nothing was sent for ten seconds."""
    seq = subscriber.seq
    yield Checkpoint(seq)
    silent_since = now = time.monotonic()
    while now < subscriber.ends_at and not stream.is_over:
        page = streams.events_after(seq)
        is_last_page, seq = page.last == seq, page.last
        for event in page.visible_to(subscriber.id):
            if subscriber.filter.accepts(event):
                yield StreamEvent(event.type, EVENT.dump_json(event), event.id)
                silent_since = time.monotonic()
        if is_last_page:
            stream.wait(min(silent_since + BEAT_S, subscriber.ends_at) - now)
        now = time.monotonic()
        if now - silent_since >= BEAT_S:
            yield Checkpoint(seq)
            silent_since = now
    yield Checkpoint(seq)
