"""The rows of API keys: registered, found, rotated, revoked; and the callers whom the operator lets write no more.

A key is returned once and never stored. A caller is an address, a key, or an end user of a key.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import ColumnElement, Connection, bindparam, delete, or_, select, update

from service.access import keys
from service.access.quota import Plan
from service.errors import InvalidKey
from service.store.database import add_rows, insert_into, is_among
from service.store.tables import api_key, block

TOUCH_INTERVAL_S = 60
ID = re.compile("[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """The row of a key. Instants are unix seconds; `hash` is `service.access.keys.digest` of the key."""

    id: str
    hash: str = field(repr=False)
    email: str
    app_name: str | None
    plan: Plan
    delegating: bool
    created_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None


def register_key(
    db: Connection,
    secret: bytes,
    email: str,
    now: float,
    *,
    app_name: str | None = None,
    plan: Plan = "free",
    delegating: bool = False,
) -> tuple[str, KeyRow]:
    """Mint a key for a normalised `email`; returns the key, which is not stored, and its row.

    Nobody proves that an email is theirs, so an email has no limit of keys that a stranger could use up.
    """
    while True:
        key = keys.mint(secrets.token_bytes(keys.ID_BYTES), secrets.token_bytes(keys.SECRET_BYTES))
        row = KeyRow(keys.key_id(key), keys.digest(key, secret), email, app_name, plan, delegating, int(now))
        if db.scalar(insert_into(db, api_key).values(asdict(row)).on_conflict_do_nothing().returning(api_key.c.id)):
            return key, row


def find_key(db: Connection, id: str) -> KeyRow | None:
    """The live key of this id."""
    row = db.execute(_FINDING, {"wanted": id}).first()
    return KeyRow(*row) if row else None


def listed_keys(db: Connection, email: str | None = None) -> list[KeyRow]:
    """Every key ever issued, or those of one normalised email, the oldest first; revoked ones included."""
    query = select(api_key).order_by(api_key.c.created_at, api_key.c.id)
    if email is not None:
        query = query.where(api_key.c.email == email)
    return [KeyRow(*row) for row in db.execute(query)]


def existing_keys(db: Connection, ids: Sequence[str]) -> list[str]:
    """Those of these ids whose key is stored, revoked or not."""
    return list(db.scalars(select(api_key.c.id).where(is_among(api_key.c.id, ids))))


def touch_key(db: Connection, id: str, now: float) -> None:
    """Record that the key was used, at most once a minute."""
    last = api_key.c.last_used_at
    is_stale = or_(last.is_(None), last <= int(now) - TOUCH_INTERVAL_S)
    db.execute(update(api_key).where(api_key.c.id == id, is_stale).values(last_used_at=int(now)))


def hash_key_again(db: Connection, row: KeyRow, hash: str) -> None:
    """Store the hash of an unchanged key with a newer secret, unless the key was rotated meanwhile."""
    db.execute(update(api_key).where(api_key.c.id == row.id, api_key.c.hash == row.hash).values(hash=hash))


def rotate_key(db: Connection, secret: bytes, row: KeyRow) -> tuple[str, KeyRow]:
    """Give a live key a new secret; returns the new key, which is not stored, and its row.

    The id stays, and with it today's usage. The old secret stops working at once. Raises InvalidKey where the key has
    been revoked or rotated since its row was read.
    """
    key = keys.mint(bytes.fromhex(row.id), secrets.token_bytes(keys.SECRET_BYTES))
    return key, _change(db, row.id, api_key.c.hash == row.hash, hash=keys.digest(key, secret))


def revoke_key(db: Connection, id: str, now: float) -> KeyRow:
    return _change(db, id, revoked_at=int(now))


def grant_plan(db: Connection, id: str, plan: Plan) -> KeyRow:
    return _change(db, id, plan=plan)


def _change(db: Connection, id: str, *conditions: ColumnElement[bool], **values: object) -> KeyRow:
    """Change a live key and return its new row; raises InvalidKey where there is no such live key."""
    live = update(api_key).where(api_key.c.id == id, api_key.c.revoked_at.is_(None), *conditions)
    row = db.execute(live.values(values).returning(*api_key.c)).first()
    if row is None:
        raise InvalidKey(f"There is no live API key {id}.")
    return KeyRow(*row)


_FINDING = select(api_key).where(api_key.c.id == bindparam("wanted"), api_key.c.revoked_at.is_(None))


def is_of_key(caller: ColumnElement[str], id: str) -> ColumnElement[bool]:
    """Whether a caller is the holder of a key, or one of its end users."""
    return or_(caller == f"key:{id}", caller.startswith(f"key:{id}:", autoescape=True))


def add_block(db: Connection, caller: str, at: int) -> None:
    """Block a caller from the unix second `at` on; nothing happens where it is blocked already."""
    add_rows(db, block, [{"caller": caller, "at": at}])


def remove_block(db: Connection, caller: str) -> bool:
    """Let a caller write again; False where it was not blocked."""
    return db.execute(delete(block).where(block.c.caller == caller)).rowcount == 1


def blocked_callers(db: Connection) -> dict[str, int]:
    """Every blocked caller, with the unix second at which it was blocked."""
    rows = db.execute(select(block).order_by(block.c.at, block.c.caller))
    return {row.caller: row.at for row in rows}


def is_blocked(db: Connection, callers: Iterable[str]) -> bool:
    return db.scalar(select(block.c.caller).where(block.c.caller.in_(list(callers))).limit(1)) is not None
