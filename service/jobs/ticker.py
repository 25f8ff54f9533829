"""The thread that checks the clock in every process that runs jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable

import dramatiq
import structlog
from dramatiq.middleware import Middleware

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
