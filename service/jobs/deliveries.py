"""Delivery of webhooks, in threads of their own: every second to the endpoints that are due, a few of each key at once.

The database decides which process delivers to an endpoint. A killed process loses its lease, and the next one repeats
at most one delivery, under the same id.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import structlog

from service.jobs.job import JobContext
from service.jobs.threads import Threads
from service.market.instants import DAY, HOUR
from service.notifications.events import Attempt, Event, message_of
from service.store import notifications
from service.store.notifications import WebhookRow
from service.store.secret import key_secrets

# The endpoints of a key share two threads, and all that were not fast the last time share half of them, also new ones,
# so that slow receivers delay only each other.
THREADS = 8
KEY_SHARE = 2
SLOW_SHARE = THREADS // 2
SLOW_MS = 1_000
TIME_LIMIT_S = 60
STOP_S = 15
# How long one thread delivers to its endpoint; then others have their turn.
WORK_S = 30

log = structlog.stdlib.get_logger(__name__)


class Deliveries:
    """Delivers the events of the ledger to the endpoints that are due, in the order of the ledger."""

    def __init__(self, job_context: JobContext, now: Callable[[], float]) -> None:
        self._context = job_context
        self._now = now
        self._threads = Threads(THREADS)
        self._fast_endpoints: set[str] = set()

    def stop(self) -> None:
        """Wait at most 15 s for deliveries that have begun."""
        self._threads.stop(STOP_S)

    def beat(self) -> None:
        """Begin to deliver to the endpoints that are due, as far as there are threads for them."""
        for id, key in self.due().items():
            shares = {f"key {key}": KEY_SHARE} | ({"slow": SLOW_SHARE} if id not in self._fast_endpoints else {})
            self._threads.begin(id, partial(self.deliver, id), TIME_LIMIT_S, shares)

    def due(self) -> dict[str, str]:
        """The endpoints that are due, each with its key, the one that was served longest ago first."""
        with self._context.database.reading() as db:
            return notifications.due_webhooks(db, self._now())

    def deliver(self, id: str) -> None:
        """Deliver the next events of an endpoint, one after the other, until one fails or none is left."""
        now = self._now()
        lease = _Lease(id, uuid.uuid4().hex, now + WORK_S)
        with self._context.database.writing() as db:
            if not notifications.claim_webhook(db, id, lease.owner, now):
                return
        try:
            while self._deliver_page(lease):
                pass
        finally:
            with self._context.database.writing() as db:
                notifications.release_webhook(db, id, lease.owner)

    def _deliver_page(self, lease: _Lease) -> bool:
        """Deliver the events of one page of the ledger; whether the next page may follow."""
        row = self._held(lease)
        if row is None:
            return False
        with self._context.database.reading() as db:
            page = notifications.events_after(db, row.cursor, self._context.clock.world)
        events = page.visible_to(f"key:{row.key}")
        if page.last == row.cursor or not all(self._deliver_event(lease, event) for event in events):
            return False
        return self._advance(lease, page.last)

    def _deliver_event(self, lease: _Lease, event: Event) -> bool:
        """Deliver one event, if the endpoint wants it; whether the next one may follow."""
        row = self._held(lease)
        if row is None:
            return False
        if not row.filter.accepts(event):
            return True
        attempt = self._send(row, event)
        if attempt.error is None:
            return self._advance(lease, event.id or row.cursor, attempt)
        self._fail(row, lease, attempt)
        return False

    def _held(self, lease: _Lease) -> WebhookRow | None:
        """The endpoint as stored; None without the lease, while it is not active, and after `work_until`."""
        if self._now() >= lease.work_until:
            return None
        with self._context.database.reading() as db:
            return notifications.held_webhook(db, lease.id, lease.owner)

    def _send(self, row: WebhookRow, event: Event) -> Attempt:
        from service.sources.webhooks import send  # imported lazily: the HTTP library costs 0.2 s of the start-up

        settings, at = self._context.settings, int(self._now())
        with self._context.database.reading() as db:
            secrets = row.secrets.valid(key_secrets(db, settings).valid(at), at)
        attempt = send(row.url, message_of(row.id, event), secrets, at, private=settings.webhook_private)
        is_fast = attempt.error is None and attempt.duration_ms < SLOW_MS
        (self._fast_endpoints.add if is_fast else self._fast_endpoints.discard)(row.id)
        return attempt

    def _advance(self, lease: _Lease, seq: int, attempt: Attempt | None = None) -> bool:
        with self._context.database.writing() as db:
            return notifications.advance_webhook(db, lease.id, lease.owner, seq, self._now(), attempt)

    def _fail(self, row: WebhookRow, lease: _Lease, attempt: Attempt) -> None:
        now = self._now()
        reason = pause_reason(attempt.status, row.failing_since or attempt.at, now)
        next_at = now + retry_after(row.attempts + 1, random.random())
        with self._context.database.writing() as db:
            notifications.fail_webhook(db, row, lease.owner, attempt, next_at, reason)
        log.info("webhook_failed", webhook=row.id, attempt=row.attempts + 1, status=attempt.status, paused=bool(reason))


@dataclass(frozen=True)
class _Lease:
    """The right of `owner` to deliver to the endpoint `id`; it begins no delivery after `work_until`."""

    id: str
    owner: str
    work_until: float


FIRST_RETRY_S = 5
LONGEST_RETRY_S = 2 * HOUR
# An endpoint that has accepted nothing for this long is paused.
PATIENCE_S = DAY
# With this status an endpoint says that it wants no more.
GONE_STATUS = 410


def retry_after(attempts: int, jitter: float) -> float:
    """Seconds until the next attempt after `attempts` failed ones; `jitter` in 0-1 takes off up to a fifth."""
    longest = min(FIRST_RETRY_S * 3 ** min(attempts - 1, 10), LONGEST_RETRY_S)
    return longest * (1 - 0.2 * jitter)


def pause_reason(status: int | None, failing_since: float, now: float) -> str | None:
    """Why an endpoint is paused after a failed attempt; None while it is tried again."""
    if status == GONE_STATUS:
        return "The endpoint answered 410 Gone."
    if now - failing_since >= PATIENCE_S:
        return "The endpoint accepted no delivery for 24 hours."
    return None
