"""Headlines as they came, each once, and how each feed answered last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, select

from service import canonical
from service.forecasting.news.headline import Headline, ScoredHeadline
from service.store.database import insert
from service.store.tables import headline, news_feed


def add(db: Connection, read: Iterable[ScoredHeadline]) -> None:
    """Store headlines that are not there yet; what was read once stays."""
    rows = [
        {"id": one.headline.id, "published_at": one.headline.published_at, "body": canonical.write(asdict(one))}
        for one in read
    ]
    if rows:
        db.execute(insert(db, headline).on_conflict_do_nothing(), rows)


def since(db: Connection, instant: int) -> list[ScoredHeadline]:
    """The headlines published at the world second `instant` or later, the oldest first."""
    order = (headline.c.published_at, headline.c.id)
    rows = db.scalars(select(headline.c.body).where(headline.c.published_at >= instant).order_by(*order))
    return [_scored(canonical.read(body)) for body in rows]


def last_at(db: Connection) -> int | None:
    """When the newest headline was published; None while there is none."""
    return db.scalar(select(headline.c.published_at).order_by(headline.c.published_at.desc()).limit(1))


def prune(db: Connection, before: int) -> None:
    """Delete what was published before the world second `before`."""
    db.execute(delete(headline).where(headline.c.published_at < before))


def feed_states(db: Connection) -> dict[str, dict[str, Any]]:
    """How each feed answered last, as plain JSON, by address."""
    return {url: canonical.read(body) for url, body in db.execute(select(news_feed.c.url, news_feed.c.body))}


def keep_feed_state(db: Connection, url: str, body: dict[str, Any]) -> None:
    """Store how a feed answered, in place of how it did before."""
    statement = insert(db, news_feed).values(url=url, body=canonical.write(body))
    db.execute(
        statement.on_conflict_do_update(index_elements=[news_feed.c.url], set_={"body": statement.excluded.body})
    )


def _scored(told: dict[str, Any]) -> ScoredHeadline:
    return ScoredHeadline(Headline(**told["headline"]), told["score"], tuple(told["assets"]))
