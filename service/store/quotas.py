"""What requests and language models spend, shared by all processes.

A window counts the hits of a key. Its row is the latest one: a hit in a later window resets the count. A hit from a
process whose clock lags counts in the stored window, unless that window is more than a day ahead, which only a wrong
clock can cause. Each change is one statement, so concurrent hits are not lost.

A reservation is a hit that is refunded unless its request settles it before the lease ends. A charge and its
reservation are written in one transaction, and a refund deletes the reservation in the transaction that lowers the
count. A refund that fails, or a process that dies, therefore leaves a reservation that a job refunds, never a lost hit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from service.market.instants import DAY
from service.store.database import Database, insert_into
from service.store.tables import rate_window, reservation, spending

NO_CAP = 2**31 - 1


class Window(NamedTuple):
    """`hits` counted so far in the window that ends at the unix second `ends`."""

    hits: int
    ends: int


def take_hits(db: Connection, key: str, ends: int, cap: int = NO_CAP, amount: int = 1) -> Window | None:
    """Count `amount` hits in the window that ends at `ends`; counts nothing and returns None if that exceeds `cap`."""
    if amount > cap:
        return None
    values = {"key": key, "ends": ends, "hits": amount, "cap": cap}
    row = db.execute(_TAKE_HITS[db.dialect.name], values).first()
    return Window(*row) if row else None


def refund_hit(db: Connection, key: str, ends: int) -> None:
    """Undo one hit in the window that ends at `ends`; has no effect after a later window has begun."""
    hits = rate_window.c.hits
    is_charged = (rate_window.c.key == key) & (rate_window.c.ends == ends) & (hits > 0)
    db.execute(update(rate_window).where(is_charged).values(hits=hits - 1))


def open_window(db: Connection, key: str, now: float) -> Window | None:
    """The window of `key`, if one is open at `now`."""
    row = db.execute(_READING, {"read_key": key, "now": int(now)}).first()
    return Window(*row) if row else None


def prune_windows(db: Connection, now: float) -> int:
    """Delete the windows that have ended at `now`, and return their number."""
    return db.execute(delete(rate_window).where(rate_window.c.ends <= int(now))).rowcount


def _taking(insert: Callable[[Table], sqlite.Insert | postgresql.Insert]) -> Executable:
    new, row = insert(rate_window), rate_window.c
    is_open = row.ends.between(new.excluded.ends, new.excluded.ends + DAY)
    hits = case((is_open, row.hits), else_=0) + new.excluded.hits
    ends = case((is_open, row.ends), else_=new.excluded.ends)
    upsert = new.on_conflict_do_update(
        index_elements=["key"], set_={"hits": hits, "ends": ends}, where=hits <= bindparam("cap")
    )
    return upsert.returning(row.hits, row.ends)


# Built once: building a statement takes three times as long as executing it.
_TAKE_HITS = {"sqlite": _taking(sqlite.insert), "postgresql": _taking(postgresql.insert)}
_READING = select(rate_window.c.hits, rate_window.c.ends).where(
    rate_window.c.key == bindparam("read_key"), rate_window.c.ends > bindparam("now")
)

# Longer than the slowest answer: two polls of at most 60 s, one of them another caller's, and two waits for a lock.
LEASE_S = 180


class Reservation(NamedTuple):
    """A hit of the window of `key` that ends at the unix second `ends`, under an id of its own."""

    id: str
    key: str
    ends: int


def reserve(db: Connection, id: str, key: str, ends: int, cap: int, now: float, amount: int = 1) -> Window | None:
    """Count hits as `take_hits` does, until `now` plus LEASE_S; counts nothing and returns None beyond `cap`."""
    window = take_hits(db, key, ends, cap, amount)
    if window:
        db.execute(insert(reservation).values(id=id, key=key, ends=window.ends, expires_at=int(now) + LEASE_S))
    return window


def settle(db: Connection, reservations: Iterable[Reservation]) -> None:
    """Keep these hits; one that was refunded because its lease had ended is counted again."""
    for id, key, ends in reservations:
        if db.execute(delete(reservation).where(reservation.c.id == id)).rowcount == 0:
            take_hits(db, key, ends)


def release(db: Connection, reservations: Iterable[Reservation]) -> int:
    """Refund these hits, and return how many were still reserved."""
    return _refund(db, reservation.c.id.in_([id for id, _, _ in reservations]))


def release_expired(db: Connection, now: float) -> int:
    """Refund the hits whose lease has ended at `now`, and return their number."""
    return _refund(db, reservation.c.expires_at <= int(now))


def count_reservations(db: Connection) -> int:
    """How many hits are reserved, by running requests and by those that are gone."""
    return db.scalar(select(func.count()).select_from(reservation)) or 0


def _refund(db: Connection, condition: ColumnElement[bool]) -> int:
    deletion = delete(reservation).where(condition).returning(reservation.c.key, reservation.c.ends)
    # In one order, so that two transactions cannot wait for each other.
    rows = sorted((key, ends) for key, ends in db.execute(deletion))
    for key, ends in rows:
        refund_hit(db, key, ends)
    return len(rows)


@dataclass(frozen=True)
class StoredSpending:
    """The spending of all processes that share a database."""

    database: Database

    def add(self, day: str, tokens: int, usd: float) -> tuple[int, float]:
        """Add to a day (YYYY-MM-DD) in one statement, and return the day's new totals; amounts may be negative."""
        sums = {"tokens": spending.c.tokens + tokens, "usd": spending.c.usd + usd}
        with self.database.writing() as db:
            new = insert_into(db, spending).values(day=day, tokens=tokens, usd=usd)
            statement = new.on_conflict_do_update(index_elements=["day"], set_=sums)
            total = db.execute(statement.returning(spending.c.tokens, spending.c.usd)).one()
        return total.tokens, total.usd


def spent_on(db: Connection, day: str) -> tuple[int, float]:
    """Tokens and USD of a day (YYYY-MM-DD), including what is reserved for calls under way."""
    row = db.execute(select(spending.c.tokens, spending.c.usd).where(spending.c.day == day)).first()
    return (row.tokens, row.usd) if row else (0, 0.0)
