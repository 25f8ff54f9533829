"""Delivery of webhooks: messages by Dramatiq, each for one endpoint, in a queue and in threads of their own.

The database decides which process delivers to an endpoint; a message only says that it is due. A process that is killed
loses its lease, and the next one repeats at most one delivery, under the same id.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass

import dramatiq
import structlog
from dramatiq.middleware import Middleware

from service.jobs.dispatcher import open_worker
from service.jobs.job import JobContext
from service.market.instants import DAY, HOUR
from service.notifications.events import Attempt, Event, message_of
from service.store import notifications
from service.store.notifications import WebhookRow
from service.store.secret import key_secrets

# Slow endpoints keep these threads waiting and no others.
THREADS = 8
# A message that was not received in this time is dropped: the next beat sends another.
MAX_AGE_MS = 5_000
TIME_LIMIT_MS = 60_000
STOP_MS = 15_000
# How long one message delivers to its endpoint; then others have their turn.
WORK_S = 30

log = structlog.stdlib.get_logger(__name__)


class Deliveries(Middleware):
    """Delivers the events of the ledger to the endpoints that are due, in the order of the ledger.

    `broker` carries nothing else. A middleware of the jobs' broker: its worker starts and stops with theirs.
    """

    def __init__(self, job_context: JobContext, broker: dramatiq.Broker, queue: str, now: Callable[[], float]) -> None:
        self._context = job_context
        self._now = now
        self._broker = broker
        self._worker = open_worker(broker, THREADS)
        declare = dramatiq.actor(
            actor_name="deliver",
            queue_name=f"{queue}-webhooks",
            broker=broker,
            max_age=MAX_AGE_MS,
            time_limit=TIME_LIMIT_MS,
        )
        self._actor = declare(self.deliver)

    def after_process_boot(self, broker: dramatiq.Broker) -> None:  # noqa: ARG002
        self._worker.start()

    def before_worker_shutdown(self, broker: dramatiq.Broker, worker: dramatiq.Worker) -> None:  # noqa: ARG002
        self._worker.stop(STOP_MS)
        self._broker.close()

    def beat(self) -> None:
        """Send a message for every endpoint that is due."""
        for id in self.due():
            self._actor.send(id)

    def due(self) -> list[str]:
        """The ids of the endpoints that are due."""
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
            page = notifications.events_after(db, row.cursor, self._context.clock.world, f"key:{row.key}")
        if page.last == row.cursor or not all(self._deliver_event(lease, event) for event in page.events):
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
        return send(row.url, message_of(row.id, event), secrets, at, private=settings.webhook_private)

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
GONE = 410


def retry_after(attempts: int, jitter: float) -> float:
    """Seconds until the next attempt after `attempts` failed ones; `jitter` in 0-1 takes off up to a fifth."""
    longest = min(FIRST_RETRY_S * 3 ** min(attempts - 1, 10), LONGEST_RETRY_S)
    return longest * (1 - 0.2 * jitter)


def pause_reason(status: int | None, failing_since: float, now: float) -> str | None:
    """Why an endpoint is paused after a failed attempt; None while it is tried again."""
    if status == GONE:
        return "The endpoint answered 410 Gone."
    if now - failing_since >= PATIENCE_S:
        return "The endpoint accepted no delivery for 24 hours."
    return None
