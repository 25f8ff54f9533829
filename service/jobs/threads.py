"""Threads: some for work that is due, one at a time for each name, and one that looks every second what is due."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping

import structlog

from service.store.database import AWAY

BEAT_S = 1.0
AFTER_FAILURE_S = 5.0

log = structlog.stdlib.get_logger(__name__)


class Threads:
    """At most `limit` pieces of work at once, each in a thread of its own and under a name that only it has.

    Work may belong to groups, each of which has a share of the threads that it cannot exceed. Work that hangs for
    longer than its time limit no longer counts, so it keeps nobody else waiting for ever. Work that returns True has
    made more work due: `after` is called once its thread is free again.
    """

    def __init__(self, limit: int, after: Callable[[], object] | None = None) -> None:
        self._limit = limit
        self._after = after
        self._lock = threading.Lock()
        self._working: dict[threading.Thread, tuple[tuple[str, ...], float]] = {}

    def begin(
        self, name: str, work: Callable[[], bool | None], time_limit_s: float, shares: Mapping[str, int] | None = None
    ) -> bool:
        """Start work in its thread; returns False while all are busy, one with this name is, or a share is used up."""
        now, shares_by_group = time.monotonic(), {name: 1, **(shares or {})}
        with self._lock:
            working = [groups for groups, until in self._working.values() if now < until]
            counts = Counter(group for groups in working for group in groups)
            if len(working) >= self._limit or any(counts[group] >= share for group, share in shares_by_group.items()):
                return False
            thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)
            self._working[thread] = tuple(shares_by_group), now + time_limit_s
            thread.start()
        return True

    def stop(self, seconds: float) -> None:
        """Begin nothing more, and wait at most so long for what has begun."""
        deadline = time.monotonic() + seconds
        with self._lock:
            self._limit, threads = 0, list(self._working)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self, work: Callable[[], bool | None]) -> None:
        thread = threading.current_thread()
        try:
            try:
                has_made_work = work()
            finally:
                with self._lock:
                    del self._working[thread]
            if has_made_work and self._after:
                self._after()
        except Exception:
            log.exception("work_failed", work=thread.name)


class Ticker:
    """Calls `beat` once a second in a thread of its own, and five seconds after one that failed, which is logged."""

    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Call no more; a call that has begun may end within five seconds."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(AFTER_FAILURE_S)

    def _run(self) -> None:
        pause_s = 0.0
        while not self._stop.wait(pause_s):
            pause_s = AFTER_FAILURE_S
            try:
                self._beat()
                pause_s = BEAT_S
            except AWAY as error:
                log.error("database_away", error=type(error).__name__)
            except Exception:
                log.exception("ticker_failed")
