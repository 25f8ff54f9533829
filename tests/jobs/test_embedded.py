"""The engine with its threads, as `python app.py` runs it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select

from service.jobs import threads
from service.jobs.engine import Engine
from service.jobs.job import Every, Job
from service.market.instants import WorldClock
from service.store import runs
from service.store.database import Database

# Slots that come once in thirty years: each job of these tests runs once.
ONCE = Every(10**9)
SLOT = 10**9
DEADLINE_S = 10


@pytest.fixture(params=["sqlite"])
def database_url(request) -> str:
    """SQLite, where threads block each other more; the database makes no other difference here."""
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
        return runs.newest_run(db, job)


def test_a_first_start_does_not_wait_for_the_ticker(database, applied):
    names = ("a", "b", "c", "d")
    jobs = [
        Job(name, ONCE, lambda _context, _slot, name=name: write(applied, name), needs=tuple(names[:n][-1:]))
        for n, name in enumerate(names)
    ]
    started = time.monotonic()
    with running(database, *jobs):
        wait_for(lambda: (run := newest(database, "d")) and run.state == "done")
        took = time.monotonic() - started
    with database.reading() as db:
        assert list(db.scalars(select(applied.c.lane).order_by(applied.c.id))) == list(names)
    assert took < len(names) * threads.BEAT_S / 2


@pytest.mark.slow
def test_stopping_waits_for_the_running_job(database, applied):
    working, go_on = threading.Event(), threading.Event()

    def work(_context, _slot):
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


@pytest.mark.slow
def test_a_long_job_does_not_keep_a_short_one_waiting(database, applied):
    long_started, short_done = threading.Event(), threading.Event()

    def long(_context, _slot):
        long_started.set()
        assert short_done.wait(DEADLINE_S)
        return write(applied, "l")

    with running(database, Job("long", ONCE, long), Job("short", ONCE, lambda _context, _slot: write(applied, "s"))):
        assert long_started.wait(DEADLINE_S)
        wait_for(lambda: (run := newest(database, "short")) and run.state == "done")
        assert newest(database, "long").state == "running"
        short_done.set()
        wait_for(lambda: newest(database, "long").state == "done")
