"""The news: read from feeds in the live world, written from what the prices did in the others."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting.news import simulated
from service.forecasting.news.document import NewsDocument, news_document
from service.forecasting.news.headline import Headline
from service.forecasting.news.pulse import pulse
from service.forecasting.news.stories import read
from service.jobs.documents import made
from service.jobs.forecast import hours
from service.jobs.job import Effects, Workshop
from service.market.instants import DAY, HOUR, iso, unix
from service.sources import headlines as feeds
from service.sources.feed_entries import source_of
from service.sources.headlines import FeedFailed, FeedState
from service.store import headlines, snapshots

EVERY_S = HOUR
# More than any look-back of the pulse.
REMEMBERED_S = 14 * DAY

NAME = "news-pulse"
NEWS = TypeAdapter(NewsDocument)

log = structlog.stdlib.get_logger(__name__)


@dataclass
class Came:
    """What came of asking: headlines, how each feed answered, and why one did not; `seen` is when one did last."""

    seen: int | None
    headlines: list[Headline] = field(default_factory=list)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def read_news(workshop: Workshop, slot: int) -> Effects:
    """Take in what was printed until `slot`, and publish the pulse of it."""
    live = workshop.clock.world == "live"
    came = _ask(workshop, slot) if live else _write(workshop, slot)
    fresh = read(came.headlines)
    with workshop.database.reading() as db:
        known = headlines.since(db, slot - REMEMBERED_S)
    stored = {one.headline.id for one in known}
    told = pulse([*known, *(one for one in fresh if one.headline.id not in stored)], slot)
    feeds_read = ", ".join(map(source_of, workshop.settings.news_feeds))
    origin = feeds_read if live else "written from the prices (simulated)"
    document = news_document(told, made(workshop, slot, EVERY_S, came.seen, headlines=origin), came.failed)

    def write(db: Connection) -> None:
        headlines.add(db, fresh)
        headlines.prune(db, slot - REMEMBERED_S)
        for url, state in came.states.items():
            headlines.keep_feed_state(db, url, state)
        snapshots.save(db, NAME, slot, NEWS.dump_json(document))

    return write


def _write(workshop: Workshop, slot: int) -> Came:
    with workshop.database.reading() as db:
        last = headlines.last_at(db)
    since = slot - REMEMBERED_S if last is None else max(last, slot - REMEMBERED_S)
    return Came(slot, simulated.write(hours(workshop, slot), since, slot))


def _ask(workshop: Workshop, slot: int) -> Came:
    """Every feed in turn; one that fails leaves what it told before. An address may hold a token: hosts are told."""
    with workshop.database.reading() as db:
        states, before = headlines.feed_states(db), snapshots.latest(db, NAME)
    came = Came(unix(json.loads(before.body)["as_of"]) if before else None)
    for url in workshop.settings.news_feeds:
        try:
            answer = feeds.fetch(url, FeedState(**states.get(url, {})), workshop.settings.source_timeout_s, slot)
        except FeedFailed as error:
            log.warning("source_failed", feed=source_of(url), detail=error.detail)
            came.failed[source_of(url)] = error.detail
            came.states[url] = asdict(error.state)
            continue
        came.headlines += answer.headlines
        came.states[url] = asdict(answer.state)
        if answer.state.not_before:
            came.failed[source_of(url)] = f"it is left alone until {iso(answer.state.not_before)}"
        else:
            came.seen = slot
    return came
