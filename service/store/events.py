"""The events among the rows of the ledger; the ledger is their outbox, so they exist once their effects do."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from service.documents import World
from service.events.event import ABOUT_PREDICTIONS, KINDS, Event, event_of
from service.forecasting.predictions import Prediction
from service.store import ledger, predictions

PAGE = 200


@dataclass(frozen=True)
class EventPage:
    """Events in their order; `last` is the number of the last row that was looked at, whether it is an event or not."""

    events: tuple[Event, ...]
    last: int


def after(db: Connection, seq: int, world: World, caller: str | None) -> EventPage:
    """The events that follow row `seq` and that a caller may see, from at most 200 rows.

    All but resolved answers are public. `caller` is the id of a caller, whose own answers are included; that of a
    delegating key includes those of its end users.
    """
    last = ledger.last_seq(db)
    rows = ledger.live_entries(db, seq, KINDS, PAGE)
    taken_back = ledger.taken_back(db, seq) if rows else set()
    entries = [entry for entry in rows if entry.seq not in taken_back]
    ids = [entry.subject for entry in entries if entry.kind in ABOUT_PREDICTIONS]
    subjects = {stored.id: stored for stored in predictions.by_ids(db, ids)}
    visible = {id: stored for id, stored in subjects.items() if _is_visible(stored, caller)}
    events = [event for entry in entries if (event := event_of(entry, world, visible))]
    if rows and (len(rows) == PAGE or rows[-1].seq > last):
        last = rows[-1].seq
    return EventPage(tuple(events), max(last, seq))


def _is_visible(stored: Prediction, caller: str | None) -> bool:
    if stored.category != "answer":
        return True
    author = stored.author or ""
    return caller is not None and (author == caller or author.startswith(f"{caller}:"))
