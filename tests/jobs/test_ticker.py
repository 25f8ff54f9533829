"""The thread that checks the clock."""

from __future__ import annotations

import threading

from service.jobs import dispatcher
from service.jobs.dispatcher import Ticker

DEADLINE_S = 10


def test_the_ticker_survives_a_failure(monkeypatch):
    monkeypatch.setattr(dispatcher, "AFTER_FAILURE_S", 0.001)
    beats, again = [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise RuntimeError("database away")
        again.set()

    ticking = Ticker(beat)
    ticking.after_process_boot(None)
    assert again.wait(DEADLINE_S)
    ticking.after_worker_shutdown(None, None)
