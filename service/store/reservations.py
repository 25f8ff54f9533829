"""Reservations: hits of a window that are refunded unless their request settles them before the lease ends.

A charge and its reservation are written in one transaction, and a refund deletes the reservation in the transaction
that lowers the count. A refund that fails, or a process that dies, therefore leaves a reservation whose lease ends, and
a job refunds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, Executable, bindparam, delete, func, insert, select

from service.store import windows
from service.store.tables import reservation
from service.store.windows import Window

# Longer than the slowest answer: two polls of at most 60 s, one of them another caller's, and two waits for a lock.
LEASE_S = 180


class Reservation(NamedTuple):
    """A hit of the window of `key` that ends at the unix second `ends`, under an id of its own."""

    id: str
    key: str
    ends: int


def reserve(db: Connection, id: str, key: str, ends: int, cap: int, now: float, amount: int = 1) -> Window | None:
    """Count hits as `windows.take` does, until `now` plus LEASE_S; counts nothing and returns None beyond `cap`."""
    window = windows.take(db, key, ends, cap, amount)
    if window:
        values = {"id": id, "key": key, "ends": window.ends, "expires_at": int(now) + LEASE_S}
        db.execute(_RESERVING, values)
    return window


def settle(db: Connection, reserved: Iterable[Reservation]) -> None:
    """Keep these hits; one that was refunded because its lease had ended is counted again."""
    for id, key, ends in reserved:
        if db.execute(_SETTLING, {"settled": id}).rowcount == 0:
            windows.take(db, key, ends)


def release(db: Connection, reserved: Iterable[Reservation]) -> int:
    """Refund these hits, and return how many were still reserved."""
    return _refund(db, _RELEASING, {"released": [id for id, _, _ in reserved]})


def release_expired(db: Connection, now: float) -> int:
    """Refund the hits whose lease has ended at `now`, and return their number."""
    return _refund(db, _EXPIRING, {"now": int(now)})


def count(db: Connection) -> int:
    """How many hits are reserved, by running requests and by those that are gone."""
    return db.scalar(_COUNT) or 0


def _refund(db: Connection, deletion: Executable, values: dict[str, object]) -> int:
    # In one order, so that two transactions cannot wait for each other.
    rows = sorted((key, ends) for key, ends in db.execute(deletion, values))
    for key, ends in rows:
        windows.refund(db, key, ends)
    return len(rows)


_RESERVING = insert(reservation)
_SETTLING = delete(reservation).where(reservation.c.id == bindparam("settled"))
_RELEASING = (
    delete(reservation)
    .where(reservation.c.id.in_(bindparam("released", expanding=True)))
    .returning(reservation.c.key, reservation.c.ends)
)
_EXPIRING = (
    delete(reservation)
    .where(reservation.c.expires_at <= bindparam("now"))
    .returning(reservation.c.key, reservation.c.ends)
)
_COUNT = select(func.count()).select_from(reservation)
