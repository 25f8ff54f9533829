"""Responses stored under the caller's Idempotency-Key, so that a retry is free and identical for 24 hours.

The order is find (a replay is not charged), begin (reserve the key), then finish, or release if the response should
not be repeated. Instants are wall seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, select, update

from service.errors import IdempotencyMismatch, RequestConflict
from service.store.database import insert_into
from service.store.tables import idempotency

KEPT_S = 86400
# A request that has not finished by then has crashed: the slowest response takes a third of it.
HELD_S = 60
RETRY_S = 2  # most answers are there by then


class Replay(NamedTuple):
    """The response to the first request."""

    status: int
    body: bytes


def forget_caller(db: Connection, caller: str | None) -> None:
    """Delete the responses to a caller, which repeat what it wrote; a retry is then a new request."""
    db.execute(delete(idempotency).where(idempotency.c.caller == caller))


def find_replay(db: Connection, caller: str, key: str, digest: str, now: int) -> Replay | None:
    """The stored response; None when there is none yet. IdempotencyMismatch for another `digest` of the request."""
    is_kept = (idempotency.c.caller == caller) & (idempotency.c.key == key) & (idempotency.c.created_at > now - KEPT_S)
    row = db.execute(select(idempotency).where(is_kept)).first()
    if row and row.digest != digest:
        raise IdempotencyMismatch("This Idempotency-Key was used with another request. Use a new key for this one.")
    return Replay(row.status, row.body) if row and row.status is not None else None


def begin(db: Connection, caller: str, key: str, digest: str, now: int) -> Replay | None:
    """Reserve the key: None when that succeeds, else the stored response.

    It succeeds where the key has no row, one that is over 24 hours old, or one of the same request that has crashed.
    Raises RequestConflict while another request holds the key, IdempotencyMismatch when that request is another one.
    """
    row = {"caller": caller, "key": key, "digest": digest, "created_at": now, "status": None, "body": None}
    is_expired = idempotency.c.created_at <= now - KEPT_S
    has_crashed = idempotency.c.status.is_(None) & (idempotency.c.created_at <= now - HELD_S)
    upsert = (
        insert_into(db, idempotency)
        .values(row)
        .on_conflict_do_update(
            index_elements=["caller", "key"],
            set_=row,
            where=is_expired | (has_crashed & (idempotency.c.digest == digest)),
        )
    )
    if db.scalar(upsert.returning(idempotency.c.key)):
        return None
    if replay := find_replay(db, caller, key, digest, now):
        return replay
    raise RequestConflict("A request with this Idempotency-Key is still in progress.", retry_after_s=RETRY_S)


def finish(db: Connection, caller: str, key: str, status: int, body: bytes) -> None:
    """Store the response for 24 hours from the beginning of the request."""
    db.execute(update(idempotency).where(*_running(caller, key)).values(status=status, body=body))


def release(db: Connection, caller: str, key: str) -> None:
    """Free the key without a response, so that the same request may be tried again."""
    db.execute(delete(idempotency).where(*_running(caller, key)))


def prune(db: Connection, now: int) -> int:
    """Delete the responses older than 24 hours, and return their number."""
    return db.execute(delete(idempotency).where(idempotency.c.created_at <= now - KEPT_S)).rowcount


def _running(caller: str, key: str) -> tuple[ColumnElement[bool], ...]:
    return idempotency.c.caller == caller, idempotency.c.key == key, idempotency.c.status.is_(None)
