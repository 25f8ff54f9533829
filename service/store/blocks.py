"""Callers whom the operator lets read and no longer write: addresses, keys, and end users of a key."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select

from service.store.database import insert_into
from service.store.tables import block


def add_block(db: Connection, caller: str, at: int) -> None:
    """Block a caller from the unix second `at` on; nothing happens where it is blocked already."""
    db.execute(insert_into(db, block).values(caller=caller, at=at).on_conflict_do_nothing())


def remove_block(db: Connection, caller: str) -> bool:
    """Let a caller write again; False where it was not blocked."""
    return db.execute(delete(block).where(block.c.caller == caller)).rowcount == 1


def blocked_callers(db: Connection) -> dict[str, int]:
    """Every blocked caller, with the unix second at which it was blocked."""
    rows = db.execute(select(block).order_by(block.c.at, block.c.caller))
    return {row.caller: row.at for row in rows}


def is_blocked(db: Connection, callers: Iterable[str]) -> bool:
    """Whether one of these names of a caller is blocked."""
    return db.scalar(select(block.c.caller).where(block.c.caller.in_(list(callers))).limit(1)) is not None
