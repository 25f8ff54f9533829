"""Counted windows that outlive a restart and are shared by every process: the days of quotas.

A row holds the window last counted for its key. A hit in a later window starts it anew; a hit by a process
whose clock lags counts in the later one, unless that lies so far ahead that a clock must have been wrong. Each
change is one statement, so no concurrent hit is lost.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from service.market.instants import DAY
from service.store.tables import rate_window

NO_CAP = 2**31 - 1


class Window(NamedTuple):
    """`hits` counted so far in the window that ends at the unix second `ends`."""

    hits: int
    ends: int


def take(db: Connection, key: str, ends: int, cap: int = NO_CAP, amount: int = 1) -> Window | None:
    """Count `amount` hits in the window ending at `ends` if that makes at most `cap`; else count none and say None."""
    if amount > cap:
        return None
    values = {"key": key, "ends": ends, "hits": amount, "cap": cap}
    row = db.execute(_TAKING[db.dialect.name], values).first()
    return row and Window(*row)


def give_back(db: Connection, key: str, ends: int) -> None:
    """Undo one hit in the window ending at `ends`; once a later one has begun there is nothing to undo."""
    db.execute(_GIVING_BACK, {"charged_key": key, "charged_ends": ends})


def read(db: Connection, key: str, now: float) -> Window | None:
    """The window of `key`, if one is open at `now`."""
    row = db.execute(_READING, {"read_key": key, "now": int(now)}).first()
    return row and Window(*row)


def prune(db: Connection, now: float) -> int:
    """Delete every window that has ended at `now`; returns how many there were."""
    return db.execute(delete(rate_window).where(rate_window.c.ends <= int(now))).rowcount


def _taking(insert):
    new, row = insert(rate_window), rate_window.c
    is_open = row.ends.between(new.excluded.ends, new.excluded.ends + DAY)
    hits = case((is_open, row.hits), else_=0) + new.excluded.hits
    ends = case((is_open, row.ends), else_=new.excluded.ends)
    upsert = new.on_conflict_do_update(
        index_elements=["key"], set_={"hits": hits, "ends": ends}, where=hits <= bindparam("cap")
    )
    return upsert.returning(row.hits, row.ends)


# Built once: building a statement takes three times as long as running it.
_TAKING = {"sqlite": _taking(sqlite.insert), "postgresql": _taking(postgresql.insert)}
_READING = select(rate_window.c.hits, rate_window.c.ends).where(
    rate_window.c.key == bindparam("read_key"), rate_window.c.ends > bindparam("now")
)
_GIVING_BACK = (
    update(rate_window)
    .where(
        rate_window.c.key == bindparam("charged_key"),
        rate_window.c.ends == bindparam("charged_ends"),
        rate_window.c.hits > 0,
    )
    .values(hits=rate_window.c.hits - 1)
)
