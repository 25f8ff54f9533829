"""The heartbeat: when a process last wrote to the database."""

from __future__ import annotations

from sqlalchemy import Connection

from service.store.database import insert
from service.store.tables import heartbeat


def beat(db: Connection, now: int) -> None:
    """Write the wall second `now`."""
    statement = insert(db, heartbeat).values(id=1, at=now)
    db.execute(statement.on_conflict_do_update(index_elements=[heartbeat.c.id], set_={"at": now}))
