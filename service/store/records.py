"""How each voter has done so far, as plain JSON: one row, rewritten when answers are resolved."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from service import canonical
from service.store.database import insert
from service.store.tables import record

_LATEST = select(record.c.body)


def save(db: Connection, as_of: int, body: dict[str, Any]) -> None:
    """Store the record as of the world second `as_of`, unless a later one is there."""
    statement = insert(db, record).values(id=1, as_of=as_of, body=canonical.write(body))
    newer = {"as_of": statement.excluded.as_of, "body": statement.excluded.body}
    db.execute(
        statement.on_conflict_do_update(
            index_elements=[record.c.id], set_=newer, where=record.c.as_of <= statement.excluded.as_of
        )
    )


def latest(db: Connection) -> dict[str, Any] | None:
    """The record; None before the first answer was resolved."""
    text = db.scalar(_LATEST)
    return canonical.read(text) if text is not None else None
