"""The news: read from feeds in the live world, written from the prices in the other worlds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from sqlalchemy import Connection

from service.forecasting.news import simulated
from service.forecasting.news.headline import Headline, read
from service.forecasting.news.pulse import LOOK_BACK_S, news_document
from service.jobs.forecast import hours
from service.jobs.job import Effects, JobContext, header
from service.market.instants import DAY, HOUR, iso, unix
from service.sources import headlines as feeds
from service.sources.headlines import FeedFailed, FeedState, source_of
from service.store import knowledge, snapshots
from service.store.pages import feed_states

EVERY_S = HOUR
KEPT_S = 200 * DAY

NAME = "news-pulse"

log = structlog.stdlib.get_logger(__name__)


@dataclass
class FetchedNews:
    """New headlines, the state of each feed, and why a feed failed; `seen_at` is when one answered last."""

    seen_at: int | None
    headlines: list[Headline] = field(default_factory=list)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def read_news(job_context: JobContext, slot: int) -> Effects:
    """Store the headlines printed until `slot`, and publish their pulse."""
    live = job_context.clock.world == "live"
    news = _fetch(job_context, slot) if live else _write(job_context, slot)
    headlines = read(news.headlines)
    with job_context.database.reading() as db:
        recent = knowledge.headlines_since(db, slot - LOOK_BACK_S)
    ids = {item.headline.id for item in recent}
    history = [*recent, *(item for item in headlines if item.headline.id not in ids)]
    feeds_read = ", ".join(map(source_of, job_context.settings.news_feeds))
    origin = feeds_read if live else "written from the prices (simulated)"
    head = header(job_context, slot, EVERY_S, seen_at=news.seen_at, sources={"headlines": origin})
    document = news_document(history, slot, head, news.failures)

    def write(db: Connection) -> None:
        knowledge.add_headlines(db, headlines)
        knowledge.prune_headlines(db, slot - KEPT_S)
        for url, state in news.states.items():
            feed_states.save(db, url, state)
        snapshots.publish(db, slot, {NAME: document})

    return write


def _write(job_context: JobContext, slot: int) -> FetchedNews:
    with job_context.database.reading() as db:
        last = knowledge.last_headline_at(db)
    since = slot - LOOK_BACK_S if last is None else max(last, slot - LOOK_BACK_S)
    return FetchedNews(slot, simulated.write(hours(job_context, slot), since, slot))


def _fetch(job_context: JobContext, slot: int) -> FetchedNews:
    """The news of every feed; a feed that fails keeps its state. Only host names are logged: a URL may hold a token."""
    with job_context.database.reading() as db:
        states, before = feed_states.every(db), snapshots.latest_snapshot(db, NAME)
    news = FetchedNews(unix(json.loads(before.body)["as_of"]) if before else None)
    for url in job_context.settings.news_feeds:
        try:
            answer = feeds.fetch(url, FeedState(**states.get(url, {})), job_context.settings.source_timeout_s, slot)
        except FeedFailed as error:
            log.warning("source_failed", feed=source_of(url), detail=error.detail)
            news.failures[source_of(url)] = error.detail
            news.states[url] = asdict(error.state)
            continue
        news.headlines += answer.headlines
        news.states[url] = asdict(answer.state)
        if answer.state.not_before:
            news.failures[source_of(url)] = f"paused until {iso(answer.state.not_before)} at its request"
        else:
            news.seen_at = slot
    return news
