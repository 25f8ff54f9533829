"""What the voters know of each asset, as plain JSON; only the latest is kept."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, select

from service import canonical
from service.store.database import insert
from service.store.tables import context

_OF = select(context.c.body).where(context.c.asset == bindparam("asset"))
_EVERY = select(context.c.asset, context.c.body)


def save(db: Connection, asset: str, as_of: int, body: dict[str, Any]) -> None:
    """Store the context of `asset` at the world second `as_of`, unless a later one is there."""
    statement = insert(db, context).values(asset=asset, as_of=as_of, body=canonical.write(body))
    newer = {"as_of": statement.excluded.as_of, "body": statement.excluded.body}
    db.execute(
        statement.on_conflict_do_update(
            index_elements=[context.c.asset], set_=newer, where=context.c.as_of <= statement.excluded.as_of
        )
    )


def latest(db: Connection, asset: str) -> dict[str, Any] | None:
    """The context of one asset; None before the first tick."""
    text = db.scalar(_OF, {"asset": asset})
    return canonical.read(text) if text is not None else None


def every(db: Connection) -> dict[str, dict[str, Any]]:
    """The contexts of all assets that have one, by asset."""
    return {asset: canonical.read(text) for asset, text in db.execute(_EVERY)}
