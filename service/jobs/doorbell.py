"""The doorbell between the processes that work jobs: Dramatiq over Redis, RabbitMQ, or this process alone."""

from __future__ import annotations

import threading
from collections.abc import Callable

import dramatiq
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Middleware, TimeLimit

from service.config import SettingsError
from service.store.runs import Run

# A bell that nobody answered in this time says nothing any more: it has been rung again.
MAX_AGE_MS = 30_000
RING_AGAIN_S = 10


class Doorbell:
    """Calls `answer(job, slot)` in one of the processes that listen to `queue` at the broker of `url`."""

    def __init__(self, url: str, queue: str, answer: Callable[[str, int], None], *middleware: Middleware) -> None:
        self.broker = open_broker(url, *middleware)
        actor = dramatiq.actor(actor_name="execute", queue_name=queue, broker=self.broker, max_age=MAX_AGE_MS)
        self._actor = actor(answer)
        self._lock = threading.Lock()
        self._rung: dict[Run, float] = {}

    def ring(self, run: Run, time_limit_s: int, now: float) -> bool:
        """Ring for a try of a slot, unless this process did so in the last ten seconds."""
        with self._lock:
            self._rung = {known: at for known, at in self._rung.items() if 0 <= now - at < RING_AGAIN_S}
            if run in self._rung:
                return False
            self._actor.send_with_options(args=(run.job, run.slot), time_limit=time_limit_s * 1000)
            self._rung[run] = now
        return True


def open_broker(url: str, *middleware: Middleware) -> dramatiq.Broker:
    """The broker of a `redis://` or `amqp://` address, in this process alone when it is empty.

    Dramatiq's own retries are left out: a retry is a row of the ledger.
    """
    everything = [AgeLimit(), TimeLimit(), *middleware]
    if not url:
        return StubBroker(middleware=everything)
    scheme = url.split(":", 1)[0]
    if scheme in ("redis", "rediss"):
        return _redis(url, everything)
    if scheme in ("amqp", "amqps"):
        return _rabbitmq(url, everything)
    raise SettingsError("BROKER_URL: it begins with none of redis://, rediss://, amqp://, amqps://")


def _redis(url: str, middleware: list[Middleware]) -> dramatiq.Broker:
    from dramatiq.brokers.redis import RedisBroker
    from redis import Redis

    client = Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5)
    return RedisBroker(
        client=client,
        namespace="ninefold",
        maintenance_chance=100_000,
        heartbeat_timeout=30_000,
        middleware=middleware,
    )


def _rabbitmq(url: str, middleware: list[Middleware]) -> dramatiq.Broker:
    from dramatiq.brokers.rabbitmq import RabbitmqBroker

    return RabbitmqBroker(url=url, middleware=middleware)
