"""The strategy and the storage that Flask-Limiter decides with, registered with `limits` under the names below.

They differ from those that `limits` brings along in four ways: a window ends at a multiple of its length since 1970
(a day at 00:00 UTC) for every process, a hit is tested and counted in one step, a refused hit is not counted (except in
Redis, which counts first and compares then), and a hit of a day is a reservation: it is refunded unless the request
settles it.
"""

from __future__ import annotations

import secrets
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import NoReturn

import structlog
from flask import current_app
from limits import RateLimitItem
from limits.errors import ConfigurationError
from limits.storage import Storage, StorageTypes
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from limits.util import WindowStats
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from service.access.quota import QuotaStatus, window_end
from service.api import metrics
from service.api.auth import Caller
from service.api.services import services
from service.market.instants import DAY, MINUTE
from service.store import reservations, windows
from service.store.reservations import Reservation
from service.store.windows import NO_CAP, Window

STORAGE_URI = "ninefold://"
STRATEGY = "aligned-window"
MINUTES = "ninefold-minutes"

log = structlog.stdlib.get_logger(__name__)


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

    def reserve(self, id: str, key: str, length: int, cap: int, now: float, amount: int = 1) -> Window | None:
        """Count as `take` does, until the reservation `id` is settled, released, or expired."""
        with services().database.writing() as db:
            return reservations.reserve(db, id, key, window_end(now, length), cap, now, amount)

    def settle(self, reserved: list[Reservation]) -> None:
        """Keep what is reserved."""
        with services().database.writing() as db:
            reservations.settle(db, reserved)

    def release(self, reserved: list[Reservation]) -> None:
        """Refund what is reserved."""
        with services().database.writing() as db:
            reservations.release(db, reserved)

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
    """A hit of the request that is being answered: the state of its limit after it, and its open reservation if any."""

    status: QuotaStatus
    reservation: Reservation | None


@dataclass(slots=True)
class RequestLimits:
    """The request that is being answered as its limits see it: its caller, its charges, and the limit that refused it.

    While `answer_first` is set, quotas of a day are not charged.
    """

    caller: Caller
    charges: dict[str, Charge] = field(default_factory=dict)
    exceeded: QuotaStatus | None = None
    answer_first: bool = False


# Set while a request with limits is answered. An attribute of Flask's `g` takes twenty times as long to read.
request_limits: ContextVar[RequestLimits] = ContextVar("request_limits")


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
        """Charge the request, once for each window; a day's quota waits while `g.answer_first` is set."""
        key, length = _key(identifiers), item.get_expiry()
        request = request_limits.get()
        if key in request.charges or (length == DAY and request.answer_first):
            return True
        now = services().now()
        id = secrets.token_hex(8) if length == DAY else None
        if id:
            window = self._windows.reserve(id, key, length, item.amount, now, cost)
        else:
            window = self._windows.take(key, length, item.amount, now, cost)
        status = _status(item, identifiers, window or Window(item.amount, window_end(now, length)))
        reserved = Reservation(id, key, status.reset_at) if window and id else None
        request.charges[key] = Charge(status, reserved)
        return window is not None

    def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return self.status(item, *identifiers).remaining >= cost

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        status = self.status(item, *identifiers)
        return WindowStats(status.reset_at, status.remaining)

    def status(self, item: RateLimitItem, *identifiers: str) -> QuotaStatus:
        """The state of a limit as this request left it, else as it is now; nothing is counted."""
        key, request = _key(identifiers), request_limits.get(None)
        if request and key in request.charges:
            return request.charges[key].status
        length, now = item.get_expiry(), services().now()
        return _status(item, identifiers, self._windows.read(key, length, now) or Window(0, window_end(now, length)))

    def settle(self) -> None:
        """Keep what the request was charged in windows of a day; without effect once that is settled or refunded."""
        if charges := _reserved():
            self._windows.settle([reserved for _, reserved in charges])
            for charge, _ in charges:
                charge.reservation = None

    def refund(self) -> None:
        """Undo what the request was charged in windows of a day; without effect once that is settled or refunded.

        A day's quota counts answers. A shorter limit counts requests, whatever comes of them. A refund that the
        database does not take is made later, by the job that refunds expired reservations.
        """
        charges = _reserved()
        if not charges:
            return
        try:
            self._windows.release([reserved for _, reserved in charges])
        except SQLAlchemyError as error:
            log.warning("refund_delayed", charges=len(charges), error=type(error).__name__)
            metrics.observe_refund(delayed=True)
        else:
            metrics.observe_refund(delayed=False)
            for charge, _ in charges:
                charge.status = charge.status._replace(remaining=charge.status.remaining + 1)
        for charge, _ in charges:
            charge.reservation = None


def _reserved() -> list[tuple[Charge, Reservation]]:
    """The charges of this request that are neither settled nor refunded; none outside a request."""
    limits = request_limits.get(None)
    charges = limits.charges.values() if limits else ()
    return [(charge, charge.reservation) for charge in charges if charge.reservation]


def _status(item: RateLimitItem, identifiers: tuple[str, ...], window: Window) -> QuotaStatus:
    remaining = max(0, item.amount - window.hits)
    return QuotaStatus(identifiers[-1], item.amount, item.get_expiry(), remaining, window.ends)


def _key(identifiers: tuple[str, ...]) -> str:
    """`daily:key:1a2b3c4d` for the identifiers `key:1a2b3c4d` and `daily`."""
    return ":".join(reversed(identifiers))


STRATEGIES[STRATEGY] = AlignedWindowRateLimiter
