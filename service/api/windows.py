"""The storage and the strategy that Flask-Limiter decides with, and what the request in progress was charged.

A window ends at a multiple of its length since 1970 (a day at 00:00 UTC) for every process. A hit is tested and counted
in one step. A hit of a day is a reservation: it is refunded unless the request settles it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock

import structlog
from flask import current_app
from limits import RateLimitItem, RateLimitItemPerDay
from limits.storage import RedisStorage, Storage
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from limits.util import WindowStats
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from service.access.quota import PLANS, ROWS_PER_CALL, QuotaStatus, window_end
from service.api import metrics
from service.api.auth import Caller, KeyHolder
from service.api.services import services
from service.market.instants import DAY, MINUTE
from service.store import quotas
from service.store.quotas import Reservation, Window

MINUTES = "ninefold-minutes"
REDIS_TIMEOUT_S = 0.3
REDIS_PAUSE_S = 5

log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class RequestLimits:
    """The request that is being answered as its limits see it: its caller, and the limit that refused it.

    `statuses` has the state of each limit after the request's hit, by the key of its window, and `reservations` hits
    that are neither settled nor refunded. While `answer_first` is set, quotas of a day are not charged. `retry_store`
    keeps a status and body for a retry, where the request has an Idempotency-Key.
    """

    caller: Caller
    statuses: dict[str, QuotaStatus] = field(default_factory=dict)
    reservations: dict[str, Reservation] = field(default_factory=dict)
    refusal: QuotaStatus | None = None
    answer_first: bool = False
    retry_store: Callable[[Connection, int, bytes], None] | None = None


# Set while a request with limits is answered. An attribute of Flask's `g` takes twenty times as long to read.
request_limits: ContextVar[RequestLimits] = ContextVar("request_limits")


class MinuteWindows:
    """Windows of a minute: counted over all processes where there is Redis, else in this process, lost at a restart.

    While Redis is away each process counts its own. All windows end together, so only those of the current minute are
    kept.
    """

    def __init__(self, redis_url: str = "") -> None:
        self._redis = _redis(redis_url) if redis_url else None
        self._away_until = 0.0
        self._lock = Lock()
        self._ends = 0
        self._hits: dict[str, int] = {}

    def count(self, key: str, now: float, amount: int = 1) -> Window:
        ends = window_end(now, MINUTE)
        if self._redis and now >= self._away_until:
            try:
                return Window(self._redis.incr(f"{key}/{ends}", MINUTE, amount), ends)
            except self._redis.base_exceptions as error:
                # Asking it each time would cost every caller the timeout.
                self._away_until = now + REDIS_PAUSE_S
                detail = "limits are counted per process"
                log.warning("redis_unavailable", detail=detail, error=str(error), pause_s=REDIS_PAUSE_S)
        with self._lock:
            # A thread can be a moment late. Only a clock that was set back lags by more than a minute.
            if ends > self._ends or ends < self._ends - MINUTE:
                self._ends, self._hits = ends, {}
            self._hits[key] = self._hits.get(key, 0) + amount
            return Window(self._hits[key], self._ends)

    def forget(self) -> None:
        with self._lock:
            self._hits = {}


def _redis(url: str) -> Storage:
    from redis import ConnectionPool  # imported lazily: it costs 20% of the start-up
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    timeouts = {"socket_timeout": REDIS_TIMEOUT_S, "socket_connect_timeout": REDIS_TIMEOUT_S}
    return RedisStorage(url, ConnectionPool.from_url(url, **timeouts, retry=Retry(NoBackoff(), 0)), "ninefold")


class WindowStorage(Storage):
    """Windows of a minute in memory or Redis, longer ones in the database.

    It has no state of its own: it counts for the application that is answering, at that application's time.
    """

    STORAGE_SCHEME = ["ninefold"]

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    @property
    def storage(self) -> str:
        """Where the longer windows are counted; `flask limiter config` shows it."""
        return services().database.dialect

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return _count(key, expiry, amount).hits

    def get(self, key: str) -> int:
        return max(_window(key, length).hits for length in (MINUTE, DAY))

    def get_expiry(self, key: str) -> float:
        longer = _window(key, DAY)
        return longer.ends if longer.hits else _window(key, MINUTE).ends

    def check(self) -> bool:
        with services().database.reading() as db:
            return db.scalar(select(1)) == 1

    def reset(self) -> int:
        """Forget every window of this process and of the database; those in Redis end within a minute."""
        current_app.extensions[MINUTES].forget()
        with services().database.writing() as db:
            return quotas.prune_windows(db, quotas.NO_CAP)

    def clear(self, key: str) -> None:
        minute, longer = _window(key, MINUTE), _window(key, DAY)
        _count(key, MINUTE, -minute.hits)
        with services().database.writing() as db:
            quotas.take_hits(db, key, longer.ends, amount=-longer.hits)


def _count(key: str, length: int, amount: int = 1) -> Window:
    now = services().now()
    if length == MINUTE:
        minutes: MinuteWindows = current_app.extensions[MINUTES]
        return minutes.count(key, now, amount)
    with services().database.writing() as db:
        return quotas.take_hits(db, key, window_end(now, length), amount=amount) or Window(quotas.NO_CAP, 0)


def _reserve(key: str, calls: int, amount: int) -> Window:
    """Count hits of a day until they are settled or refunded, or their lease ends; beyond `calls` none is counted."""
    now, id, limits = services().now(), secrets.token_hex(8), request_limits.get()
    with services().database.writing() as db:
        window = quotas.reserve(db, id, key, window_end(now, DAY), calls, now, amount)
    if window is None:
        return Window(calls + amount, window_end(now, DAY))
    limits.reservations[key] = Reservation(id, key, window.ends)
    return window


def _window(key: str, length: int) -> Window:
    """The window of `length` seconds that is open now; nothing is counted."""
    if length == MINUTE:
        return _count(key, length, 0)
    now = services().now()
    with services().database.reading() as db:
        return quotas.open_window(db, key, now) or Window(0, window_end(now, length))


class AlignedWindowRateLimiter(FixedWindowRateLimiter):
    """Fixed windows with ends by the calendar; identifiers are whose hits are counted and the name of the limit.

    A window is kept under those two alone, not under the number allowed: on a new plan a caller keeps what was used.
    What a request was charged stays with it, so that its headers report its own hit and not a later one.
    """

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        """Charge the request, once for each window; a day's quota waits while `answer_first` is set."""
        key, length, limits = _window_key(identifiers), item.get_expiry(), request_limits.get()
        if key in limits.statuses or (length == DAY and limits.answer_first):
            return True
        window = _reserve(key, item.amount, cost) if length == DAY else _count(key, length, cost)
        limits.statuses[key] = _status_in(window, item, identifiers[-1])
        return window.hits <= item.amount

    def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return status_of(item, *identifiers).remaining >= cost

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        status = status_of(item, *identifiers)
        return WindowStats(status.reset_at, status.remaining)


STRATEGIES["aligned-window"] = AlignedWindowRateLimiter


def _window_key(identifiers: tuple[str, ...]) -> str:
    """`daily:key:1a2b3c4d` for the identifiers `key:1a2b3c4d` and `daily`."""
    return ":".join(reversed(identifiers))


def status_of(item: RateLimitItem, *identifiers: str) -> QuotaStatus:
    """The state of a limit as this request left it, else as it is now; nothing is counted."""
    key, limits = _window_key(identifiers), request_limits.get(None)
    if limits and key in limits.statuses:
        return limits.statuses[key]
    return _status_in(_window(key, item.get_expiry()), item, identifiers[-1])


def _status_in(window: Window, item: RateLimitItem, name: str) -> QuotaStatus:
    return QuotaStatus(name, item.amount, item.get_expiry(), max(0, item.amount - window.hits), window.ends)


def daily_quota(holder: KeyHolder) -> QuotaStatus:
    """The state of a caller's daily quota; nothing is counted."""
    return status_of(RateLimitItemPerDay(PLANS[holder.plan]), holder.id, "daily")


def charge_rows(count: int) -> None:
    """Count this request once more in its minute for each ROWS_PER_CALL rows that its answer is computed from."""
    limits, calls = request_limits.get(None), count // ROWS_PER_CALL
    if limits is None or not calls:
        return
    for key, status in limits.statuses.items():
        if status.window_s == MINUTE:
            hits = _count(key, MINUTE, calls).hits
            limits.statuses[key] = status._replace(remaining=max(0, status.limit - hits))


def settle(db: Connection | None = None) -> None:
    """Keep what this request was charged for a day; without effect once that is settled or refunded.

    In the transaction `db`, if one is given; should that one fail, the job refunds the charge.
    """
    limits = request_limits.get(None)
    if limits and limits.reservations:
        with nullcontext(db) if db else services().database.writing() as transaction:
            quotas.settle(transaction, limits.reservations.values())
        limits.reservations.clear()


def refund() -> None:
    """Undo what this request was charged for a day; without effect once that is settled or refunded.

    A day's quota counts answers. A shorter limit counts requests, whatever comes of them. A refund that the database
    does not take is made later, by the job that refunds expired reservations.
    """
    limits = request_limits.get(None)
    if not limits or not limits.reservations:
        return
    try:
        with services().database.writing() as db:
            quotas.release(db, limits.reservations.values())
    except SQLAlchemyError as error:
        log.warning("refund_delayed", charges=len(limits.reservations), error=type(error).__name__)
        metrics.REFUNDS.labels("later").inc()
    else:
        metrics.REFUNDS.labels("at once").inc()
        for key in limits.reservations:
            status = limits.statuses[key]
            limits.statuses[key] = status._replace(remaining=status.remaining + 1)
    limits.reservations.clear()
