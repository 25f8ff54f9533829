"""Messages between the processes that run jobs, over Redis, RabbitMQ or within one process; and the ticker."""

from __future__ import annotations

import threading
from collections.abc import Callable

import dramatiq
import structlog
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, Middleware, TimeLimit

from service.config import SettingsError
from service.store.runs import Run

# A message that was not received in this time is dropped: a newer one has been sent.
MAX_AGE_MS = 30_000
DISPATCH_AGAIN_S = 10
# The longest sleep of an idle worker thread; stopping waits for it twice.
IDLE_MS = 250


class Dispatcher:
    """Calls `handle(job, slot)` in one of the processes that consume `queue` at the broker of `url`."""

    def __init__(self, url: str, queue: str, handle: Callable[[str, int], None], *middleware: Middleware) -> None:
        self.broker = open_broker(url, *middleware)
        actor = dramatiq.actor(actor_name="execute", queue_name=queue, broker=self.broker, max_age=MAX_AGE_MS)
        self._actor = actor(handle)
        self._lock = threading.Lock()
        self._dispatched: dict[Run, float] = {}

    def dispatch(self, run: Run, time_limit_s: int, now: float) -> bool:
        """Send a message to run a slot, unless this process did so in the last ten seconds; whether it was sent."""
        with self._lock:
            self._dispatched = {sent: at for sent, at in self._dispatched.items() if 0 <= now - at < DISPATCH_AGAIN_S}
            if run in self._dispatched:
                return False
            self._actor.send_with_options(args=(run.job, run.slot), time_limit=time_limit_s * 1000)
            self._dispatched[run] = now
        return True


def open_broker(url: str, *middleware: Middleware) -> dramatiq.Broker:
    """The broker of a `redis://` or `amqp://` address; for an empty one a broker within this process.

    Dramatiq's own retries are not used: the engine retries by the table `job_run`.
    """
    everything = [AgeLimit(), TimeLimit(), *middleware]
    if not url:
        return StubBroker(middleware=everything)
    scheme = url.split(":", 1)[0]
    if scheme in ("redis", "rediss"):
        return _redis(url, everything)
    if scheme in ("amqp", "amqps"):
        return _rabbitmq(url, everything)
    raise SettingsError("BROKER_URL must begin with redis://, rediss://, amqp:// or amqps://")


def open_worker(broker: dramatiq.Broker, threads: int) -> dramatiq.Worker:
    """A worker that takes no more messages than it has threads; the rest stay where another process can take them."""
    worker = dramatiq.Worker(broker, worker_threads=threads, worker_timeout=IDLE_MS)
    worker.queue_prefetch = threads
    return worker


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


BEAT_S = 1.0
AFTER_FAILURE_S = 5.0

log = structlog.stdlib.get_logger(__name__)


class Ticker(Middleware):
    """Calls `beat` once a second, from the boot of the process until its workers have stopped.

    A failed beat (the database or the broker is unavailable) is logged and repeated five seconds later.
    """

    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def after_process_boot(self, broker: dramatiq.Broker) -> None:  # noqa: ARG002
        self._thread.start()

    def after_worker_shutdown(self, broker: dramatiq.Broker, worker: dramatiq.Worker) -> None:  # noqa: ARG002
        self._stopped.set()
        self._thread.join(AFTER_FAILURE_S)

    def _run(self) -> None:
        while not self._stopped.wait(self._beat_once()):
            pass

    def _beat_once(self) -> float:
        try:
            self._beat()
        except Exception:
            log.exception("ticker_failed")
            return AFTER_FAILURE_S
        return BEAT_S
