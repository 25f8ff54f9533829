"""The few numbers that other sites embed."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting.apex.call import Call
from service.forecasting.news.pulse import pulse
from service.forecasting.relive import ASSET
from service.forecasting.scores.versus import VersusBook
from service.forecasting.widget import WidgetDocument, widget_document
from service.jobs.documents import made
from service.jobs.job import Effects, Workshop
from service.jobs.listing import prices
from service.market.instants import DAY
from service.store import apex_calls, headlines, snapshots

WIDGET = TypeAdapter(WidgetDocument)
BOOKS = TypeAdapter(tuple[VersusBook, ...])


def is_wanted(db: Connection) -> bool:
    """Whether there is all that it shows."""
    return all(snapshots.latest(db, name) for name in ("prices", "apex", "ai-vs-market"))


def show(workshop: Workshop, slot: int) -> Effects:
    """Publish bitcoin's price beside what apex, the news and the scores said last."""
    with workshop.database.reading() as db:
        costs, call, books = prices(db), apex_calls.latest(db), _books(db)
        told = pulse(headlines.since(db, slot - 2 * DAY), slot)
    if ASSET not in costs:
        return lambda _: None
    head = made(workshop, slot, workshop.feed.step)
    document = widget_document(costs[ASSET], call and Call.from_plain(call.body), told, books, head)
    return lambda db: snapshots.save(db, "widget", slot, WIDGET.dump_json(document))


def _books(db: Connection) -> tuple[VersusBook, ...]:
    told = snapshots.latest(db, "ai-vs-market")
    return BOOKS.validate_python(json.loads(told.body)["books"]) if told else ()
