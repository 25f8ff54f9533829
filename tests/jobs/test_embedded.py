"""The engine with its threads, as `python app.py` runs it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select

from service.jobs import ticker
from service.jobs.engine import Engine
from service.jobs.job import Job
from service.jobs.schedules import Every
from service.jobs.ticker import Ticker
from service.market.clock import WorldClock
from service.store import runs
from service.store.database import Database

# Slots that come once in thirty years: each job of these tests runs once.
ONCE = Every(10**9)
SLOT = 10**9
DEADLINE_S = 10


@pytest.fixture(params=["sqlite"])
def database_url(request) -> str:
    """The threads do not care which database it is: SQLite, where they get into each other's way more."""
    return request.getfixturevalue(f"{request.param}_url")


@contextmanager
def running(database: Database, *jobs: Job) -> Iterator[Engine]:
    engine = Engine(database, jobs, SimpleNamespace(clock=WorldClock("simulated")))
    engine.start()
    yield engine
    engine.stop()


def write(applied, lane: str = "t"):
    return lambda db: db.execute(insert(applied).values(slot=SLOT, lane=lane))


def wait_for(condition) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def newest(database: Database, job: str = "tick") -> runs.Run | None:
    with database.reading() as db:
        return runs.newest(db, job)


def test_at_the_first_start_a_chain_of_jobs_does_not_wait_for_the_ticker(database, applied):
    names = ("a", "b", "c", "d")
    jobs = [
        Job(name, ONCE, lambda _workshop, _slot, name=name: write(applied, name), needs=tuple(names[:n][-1:]))
        for n, name in enumerate(names)
    ]
    started = time.monotonic()
    with running(database, *jobs):
        wait_for(lambda: (run := newest(database, "d")) and run.state == "done")
        took = time.monotonic() - started
    with database.reading() as db:
        assert list(db.scalars(select(applied.c.lane).order_by(applied.c.id))) == list(names)
    assert took < len(names) * ticker.BEAT_S / 2


def test_stopping_waits_for_what_is_being_worked(database, applied):
    working, go_on = threading.Event(), threading.Event()

    def work(_workshop, _slot):
        working.set()
        assert go_on.wait(DEADLINE_S)
        return write(applied)

    with running(database, Job("tick", ONCE, work)) as engine:
        assert working.wait(DEADLINE_S)
        stopping = threading.Thread(target=engine.stop)
        stopping.start()
        go_on.set()
        stopping.join(DEADLINE_S)
        assert newest(database).state == "done"


def test_a_try_is_broken_off_at_its_time_limit_and_the_job_may_go_on(database):
    stopped = threading.Event()

    def hang(_workshop, _slot):
        while not stopped.wait(0.01):
            pass

    with running(database, Job("tick", ONCE, hang, time_limit_s=1, backoff_s=60)):
        wait_for(lambda: (run := newest(database)) and run.state == "due" and run.attempt == 1)
        stopped.set()


def test_a_long_job_does_not_keep_a_short_one_waiting(database, applied):
    long_started, short_done = threading.Event(), threading.Event()

    def long(_workshop, _slot):
        long_started.set()
        assert short_done.wait(DEADLINE_S)
        return write(applied, "l")

    with running(database, Job("long", ONCE, long), Job("short", ONCE, lambda _workshop, _slot: write(applied, "s"))):
        assert long_started.wait(DEADLINE_S)
        wait_for(lambda: (run := newest(database, "short")) and run.state == "done")
        assert newest(database, "long").state == "running"
        short_done.set()
        wait_for(lambda: newest(database, "long").state == "done")


def test_a_failing_look_at_the_clock_is_not_the_last_one(monkeypatch):
    monkeypatch.setattr(ticker, "AFTER_FAILURE_S", 0.001)
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
