"""The strategy and the storage that Flask-Limiter decides with, registered with `limits` under the names below.

They differ from those that `limits` brings along in four ways: a window ends at a multiple of its length since 1970
(a day at 00:00 UTC) for every process, a hit is tested and counted in one step, a refused hit is not counted (except in
Redis, which counts first and compares then), and a hit can be refunded.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import NoReturn

from flask import current_app, g
from limits import RateLimitItem
from limits.errors import ConfigurationError
from limits.storage import Storage, StorageTypes
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from limits.util import WindowStats
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from service.access.quota import window_end
from service.api.services import services
from service.market.instants import DAY, MINUTE
from service.store import windows
from service.store.windows import NO_CAP, Window

STORAGE_URI = "ninefold://"
STRATEGY = "aligned-window"
MINUTES = "ninefold-minutes"


class MinuteWindows:
    """Windows of one minute in this process: exact under threads, lost at a restart.

    All of them end together, so only those of the current minute are kept.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends = 0
        self._hits: dict[str, int] = {}

    def take(self, key: str, cap: int, now: float, amount: int = 1) -> Window | None:
        """Count `amount` hits in the minute around `now` if the sum is at most `cap`; else count none."""
        ends = window_end(now, MINUTE)
        with self._lock:
            # A thread can be a moment late. Only a clock that was set back lags by more than a minute.
            if ends > self._ends or ends < self._ends - MINUTE:
                self._ends, self._hits = ends, {}
            hits = self._hits.get(key, 0) + amount
            if hits > cap:
                return None
            self._hits[key] = hits
            return Window(hits, self._ends)


class WindowStorage(Storage):
    """Windows of a minute in the memory of this process or in Redis, longer ones in the database.

    It has no state of its own: it counts for the application that is answering, at that application's time.
    """

    STORAGE_SCHEME = [STORAGE_URI.removesuffix("://")]

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    def take(self, key: str, length: int, cap: int, now: float, amount: int = 1) -> Window | None:
        """Count `amount` hits in the window of `length` seconds around `now` if the sum is at most `cap`."""
        if length == MINUTE:
            minutes: MinuteWindows = current_app.extensions[MINUTES]
            return minutes.take(key, cap, now, amount)
        with services().database.writing() as db:
            return windows.take(db, key, window_end(now, length), cap, amount)

    def refund(self, key: str, ends: int) -> None:
        """Undo one hit of a window longer than a minute."""
        with services().database.writing() as db:
            windows.refund(db, key, ends)

    def read(self, key: str, length: int, now: float) -> Window | None:
        """The open window of `key`, None while it has no hit."""
        if length == MINUTE:
            return self.take(key, length, NO_CAP, now, amount=0)
        with services().database.reading() as db:
            return windows.read(db, key, now)

    @property
    def storage(self) -> str:
        """Where the longer windows are counted; `flask limiter config` shows it."""
        return services().database.dialect

    def check(self) -> bool:
        with services().database.reading() as db:
            return db.scalar(select(1)) == 1

    def _refuse(self, *_arguments: object, **_options: object) -> NoReturn:
        raise TypeError(f"{STORAGE_URI} counts for the strategy {STRATEGY} alone, and its windows only end")

    incr = get = get_expiry = reset = clear = _refuse


@dataclass(slots=True)
class Charge:
    """A hit of the request that is being answered: its limit, the window after it, and whether it is still counted."""

    key: str
    name: str
    amount: int
    length: int
    window: Window
    counted: bool


class AlignedWindowRateLimiter(FixedWindowRateLimiter):
    """Fixed windows with ends by the calendar; identifiers are whose hits are counted and the name of the limit.

    A window is kept under those two alone, not under the number allowed: on a new plan a caller keeps what was used.
    What a request was charged stays with it, so that its headers report its own hit and not a later one.
    """

    def __init__(self, storage: StorageTypes) -> None:
        super().__init__(storage)
        if not isinstance(storage, WindowStorage):
            raise ConfigurationError(f"the strategy {STRATEGY} needs the storage {STORAGE_URI}")
        self._windows = storage

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        key, length, now = _key(identifiers), item.get_expiry(), services().now()
        window = self._windows.take(key, length, item.amount, now, cost)
        after = window or Window(item.amount, window_end(now, length))
        g.charges[key] = Charge(key, identifiers[-1], item.amount, length, after, counted=window is not None)
        return window is not None

    def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return self._window(item, identifiers).hits + cost <= item.amount

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        window = self._window(item, identifiers)
        return WindowStats(window.ends, max(0, item.amount - window.hits))

    def refund(self) -> None:
        """Undo what the request was charged in windows of a day; a second time there is nothing left to undo.

        A day's quota counts answers. A shorter limit counts requests, whatever comes of them.
        """
        for charge in g.get("charges", {}).values():
            if charge.counted and charge.length == DAY:
                self._windows.refund(charge.key, charge.window.ends)
                charge.window = charge.window._replace(hits=charge.window.hits - 1)
                charge.counted = False

    def _window(self, item: RateLimitItem, identifiers: tuple[str, ...]) -> Window:
        """The window as this request left it, else as it stands now."""
        key = _key(identifiers)
        if charge := g.get("charges", {}).get(key):
            return charge.window
        length, now = item.get_expiry(), services().now()
        return self._windows.read(key, length, now) or Window(0, window_end(now, length))


def _key(identifiers: tuple[str, ...]) -> str:
    """`daily:key:1a2b3c4d` for the identifiers `key:1a2b3c4d` and `daily`."""
    return ":".join(reversed(identifiers))


STRATEGIES[STRATEGY] = AlignedWindowRateLimiter
