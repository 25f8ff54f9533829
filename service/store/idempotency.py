"""Responses stored under the caller's Idempotency-Key, so that a retry is free and identical for 24 hours.

The order is find (a replay is not charged), begin (reserve the key), then finish, or release if the response should
not be repeated. Instants are wall seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, select, update

from service.errors import IdempotencyMismatch, RequestConflict
from service.store.database import insert_into
from service.store.tables import idempotency

KEPT_S = 86400
# A request that has not finished by then has crashed: the slowest response takes a third of it.
HELD_S = 60
RETRY_S = 2  # most answers are there by then

_FIND = select(idempotency).where(
    idempotency.c.caller == bindparam("caller"),
    idempotency.c.key == bindparam("key"),
    idempotency.c.created_at > bindparam("expired"),
)


class Replay(NamedTuple):
    """The response to the first request."""

    status: int
    body: bytes


def forget_caller(db: Connection, caller: str | None) -> None:
    """Delete the responses to a caller, which repeat what it wrote; a retry is then a new request."""
    db.execute(delete(idempotency).where(idempotency.c.caller == caller))


def find_replay(db: Connection, caller: str, key: str, digest: str, now: int) -> Replay | None:
    """The stored response; None when there is none yet.

    `digest` is that of the whole request. Raises IdempotencyMismatch when the key was used with another request.
    """
    row = db.execute(_FIND, {"caller": caller, "key": key, "expired": now - KEPT_S}).first()
    return _replay(row, digest) if row else None


def begin(db: Connection, caller: str, key: str, digest: str, now: int) -> Replay | None:
    """Reserve the key: None when that succeeds, else the stored response.

    Raises RequestConflict while another request holds the key, IdempotencyMismatch when that request is another one.
    """
    if _take(db, caller, key, digest, now):
        return None
    row = db.execute(_FIND, {"caller": caller, "key": key, "expired": now - KEPT_S}).one()
    replay = _replay(row, digest)
    if replay is None:
        raise RequestConflict("A request with this Idempotency-Key is still in progress.", retry_after_s=RETRY_S)
    return replay


def finish(db: Connection, caller: str, key: str, status: int, body: bytes) -> None:
    """Store the response for 24 hours from the beginning of the request."""
    db.execute(update(idempotency).where(*_running(caller, key)).values(status=status, body=body))


def release(db: Connection, caller: str, key: str) -> None:
    """Free the key without a response, so that the same request may be tried again."""
    db.execute(delete(idempotency).where(*_running(caller, key)))


def prune(db: Connection, now: int) -> int:
    """Delete the responses older than 24 hours, and return their number."""
    return db.execute(delete(idempotency).where(idempotency.c.created_at <= now - KEPT_S)).rowcount


def _take(db: Connection, caller: str, key: str, digest: str, now: int) -> bool:
    """Write the row of a running request where there is none, it is over 24 hours old, or its request has crashed."""
    row = {"caller": caller, "key": key, "digest": digest, "created_at": now, "status": None, "body": None}
    statement = insert_into(db, idempotency).values(row)
    is_expired = idempotency.c.created_at <= now - KEPT_S
    has_crashed = (
        idempotency.c.status.is_(None)
        & (idempotency.c.created_at <= now - HELD_S)
        & (idempotency.c.digest == statement.excluded.digest)
    )
    upsert = statement.on_conflict_do_update(
        index_elements=[idempotency.c.caller, idempotency.c.key], set_=row, where=is_expired | has_crashed
    )
    return db.scalar(upsert.returning(idempotency.c.key)) is not None


def _replay(row: Row, digest: str) -> Replay | None:
    if row.digest != digest:
        raise IdempotencyMismatch("This Idempotency-Key was used with another request. Use a new key for this one.")
    return Replay(row.status, row.body) if row.status is not None else None


def _running(caller: str, key: str) -> tuple[ColumnElement[bool], ...]:
    return idempotency.c.caller == caller, idempotency.c.key == key, idempotency.c.status.is_(None)
