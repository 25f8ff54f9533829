"""Where Flask-Limiter's windows are counted: minutes in this process or in Redis, longer ones in the database.

Unlike the windows that `limits` brings along, these end at the same instant for every process (a day's at
00:00 UTC) and a refused hit is free. Time is the service's own, so that tests can drive it over midnight.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Protocol

from limits.storage import Storage
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from service.access.quota import window_end
from service.market.instants import DAY, MINUTE
from service.store import windows
from service.store.database import Database
from service.store.windows import NO_CAP, Window


class Minutes(Protocol):
    """Windows of a minute, counted somewhere."""

    def take(self, key: str, cap: int, now: float, amount: int = 1) -> Window | None:
        """Count `amount` hits in the minute around `now` if that makes at most `cap`; else None."""


class MinuteWindows:
    """Windows of a minute in this process: exact under threads, forgotten at a restart.

    They all end together, so only those of the current minute are kept.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends = 0
        self._hits: dict[str, int] = {}

    def take(self, key: str, cap: int, now: float, amount: int = 1) -> Window | None:
        ends = window_end(now, MINUTE)
        with self._lock:
            # A thread may be a moment late; only a clock that was set back lags by more than a minute.
            if ends > self._ends or ends < self._ends - MINUTE:
                self._ends, self._hits = ends, {}
            hits = self._hits.get(key, 0) + amount
            if hits > cap:
                return None
            self._hits[key] = hits
            return Window(hits, self._ends)


class WindowStorage(Storage):
    """The storage behind Flask-Limiter: any window of a minute in `minutes`, any other in `database`."""

    STORAGE_SCHEME = ["ninefold"]
    base_exceptions = SQLAlchemyError

    def __init__(
        self,
        uri: str | None = None,
        wrap_exceptions: bool = False,
        *,
        database: Database,
        minutes: Minutes,
        now: Callable[[], float],
    ) -> None:
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self.now = now
        self._database = database
        self._minutes = minutes

    def take(self, key: str, length: int, cap: int, now: float, amount: int = 1) -> Window | None:
        """Count `amount` hits in the window of `length` seconds around `now` if that makes at most `cap`."""
        if length == MINUTE:
            return self._minutes.take(key, cap, now, amount)
        with self._database.writing() as db:
            return windows.take(db, key, window_end(now, length), cap, amount)

    def give_back(self, key: str, ends: int) -> None:
        """Undo one hit of a window longer than a minute."""
        with self._database.writing() as db:
            windows.give_back(db, key, ends)

    def read(self, key: str, length: int, now: float) -> Window | None:
        """The open window of `key`, None while it has no hit."""
        if length == MINUTE:
            return self._minutes.take(key, NO_CAP, now, amount=0)
        with self._database.reading() as db:
            return windows.read(db, key, now)

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return self.take(key, expiry, NO_CAP, self.now(), amount).hits

    def get(self, key: str) -> int:
        return self._found(key).hits

    def get_expiry(self, key: str) -> float:
        return self._found(key).ends

    def _found(self, key: str) -> Window:
        """The window of `key` for Flask-Limiter, which does not say how long it is."""
        now = self.now()
        return self.read(key, DAY, now) or self.read(key, MINUTE, now)

    def check(self) -> bool:
        with self._database.reading() as db:
            return db.scalar(select(1)) == 1

    def reset(self) -> None:
        raise TypeError("windows end by themselves")

    def clear(self, key: str) -> None:  # noqa: ARG002
        raise TypeError("windows end by themselves")
