"""Counted windows for daily quotas, which survive a restart and are shared by all processes.

A row holds the latest window of its key. A hit in a later window resets the count. A hit from a process whose clock
lags counts in the stored window, unless that window is more than a day ahead, which only a wrong clock can cause. Each
change is one statement, so concurrent hits are not lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, Executable, Table, bindparam, case, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from service.market.instants import DAY
from service.store.tables import rate_window

NO_CAP = 2**31 - 1


class Window(NamedTuple):
    """`hits` counted so far in the window that ends at the unix second `ends`."""

    hits: int
    ends: int


def take(db: Connection, key: str, ends: int, cap: int = NO_CAP, amount: int = 1) -> Window | None:
    """Count `amount` hits in the window that ends at `ends`; counts nothing and returns None if that exceeds `cap`."""
    if amount > cap:
        return None
    values = {"key": key, "ends": ends, "hits": amount, "cap": cap}
    row = db.execute(_TAKING[db.dialect.name], values).first()
    return Window(*row) if row else None


def refund(db: Connection, key: str, ends: int) -> None:
    """Undo one hit in the window that ends at `ends`; has no effect after a later window has begun."""
    db.execute(_REFUNDING, {"charged_key": key, "charged_ends": ends})


def read(db: Connection, key: str, now: float) -> Window | None:
    """The window of `key`, if one is open at `now`."""
    row = db.execute(_READING, {"read_key": key, "now": int(now)}).first()
    return Window(*row) if row else None


def prune(db: Connection, now: float) -> int:
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
_TAKING = {"sqlite": _taking(sqlite.insert), "postgresql": _taking(postgresql.insert)}
_READING = select(rate_window.c.hits, rate_window.c.ends).where(
    rate_window.c.key == bindparam("read_key"), rate_window.c.ends > bindparam("now")
)
_REFUNDING = (
    update(rate_window)
    .where(
        rate_window.c.key == bindparam("charged_key"),
        rate_window.c.ends == bindparam("charged_ends"),
        rate_window.c.hits > 0,
    )
    .values(hits=rate_window.c.hits - 1)
)
