"""Headlines, each stored once."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, func, select, tuple_

from service import canonical
from service.forecasting.news.headline import ScoredHeadline
from service.store.cursors import PageKey
from service.store.database import insert
from service.store.tables import headline


def add(db: Connection, scored: Iterable[ScoredHeadline]) -> None:
    """Store headlines, unless they are stored already."""
    rows = [
        {"id": item.headline.id, "published_at": item.headline.published_at, "body": canonical.write(item.to_plain())}
        for item in scored
    ]
    if rows:
        db.execute(insert(db, headline).on_conflict_do_nothing(), rows)


def since(db: Connection, instant: int) -> list[ScoredHeadline]:
    """The headlines published at the world second `instant` or later, the oldest first."""
    order = (headline.c.published_at, headline.c.id)
    rows = db.scalars(select(headline.c.body).where(headline.c.published_at >= instant).order_by(*order))
    return [ScoredHeadline.from_plain(canonical.read(body)) for body in rows]


def newest(db: Connection, since: int, until: int, limit: int, after: PageKey | None = None) -> list[ScoredHeadline]:
    """The headlines published between two world seconds, both included, newest first.

    `after` is the key of the last one of the page before: when it was published, and its id.
    """
    keys = (headline.c.published_at, headline.c.id)
    query = select(headline.c.body).where(headline.c.published_at.between(since, until))
    if after is not None:
        query = query.where(tuple_(*keys) < (int(after.value), after.id))
    rows = db.scalars(query.order_by(*(key.desc() for key in keys)).limit(limit))
    return [ScoredHeadline.from_plain(canonical.read(body)) for body in rows]


def last_at(db: Connection) -> int | None:
    """When the newest headline was published; None without any."""
    return db.scalar(select(func.max(headline.c.published_at)))


def prune(db: Connection, before: int) -> None:
    """Delete the headlines published before the world second `before`."""
    db.execute(delete(headline).where(headline.c.published_at < before))
