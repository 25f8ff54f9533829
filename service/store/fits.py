"""The parameters that the voters were fitted to, as plain JSON, by the slot of their refit."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from service import canonical
from service.store.database import insert
from service.store.tables import fit

_LATEST = select(fit.c.slot, fit.c.body).order_by(fit.c.slot.desc()).limit(1)
_LATEST_SLOT = select(func.max(fit.c.slot))


class Fit(NamedTuple):
    """Parameters fitted to what was known at the world second `slot`."""

    slot: int
    body: dict[str, Any]


def save(db: Connection, slot: int, body: dict[str, Any]) -> None:
    """Store the parameters of `slot`; those of the same slot are replaced."""
    statement = insert(db, fit).values(slot=slot, body=canonical.write(body))
    db.execute(statement.on_conflict_do_update(index_elements=[fit.c.slot], set_={"body": statement.excluded.body}))


def latest(db: Connection) -> Fit | None:
    """The newest parameters; None before the first refit."""
    row = db.execute(_LATEST).first()
    return Fit(row.slot, canonical.read(row.body)) if row else None


def latest_slot(db: Connection) -> int | None:
    """The slot of the newest parameters: cheap to ask whether those at hand are still the newest."""
    return db.scalar(_LATEST_SLOT)
