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
FOREVER = Every(10**9)
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


def write(journal, lane: str = "t"):
    return lambda db: db.execute(insert(journal).values(slot=SLOT, lane=lane))


def wait_for(condition) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def newest(database: Database, job: str = "tick") -> runs.Run | None:
    with database.reading() as db:
        return runs.newest_run(db, job)


def test_a_first_start_does_not_wait_for_the_ticker(database, journal):
    names = ("a", "b", "c", "d")
    jobs = [
        Job(name, FOREVER, lambda _context, _slot, name=name: write(journal, name), needs=tuple(names[:n][-1:]))
        for n, name in enumerate(names)
    ]
    start = time.monotonic()
    with running(database, *jobs):
        wait_for(lambda: (run := newest(database, "d")) and run.state == "done")
        took = time.monotonic() - start
    with database.reading() as db:
        assert list(db.scalars(select(journal.c.lane).order_by(journal.c.id))) == list(names)
    assert took < len(names) * threads.BEAT_S / 2


@pytest.mark.slow
def test_stopping_waits_for_the_running_job(database, journal):
    working, go_on = threading.Event(), threading.Event()

    def work(_context, _slot):
        working.set()
        assert go_on.wait(DEADLINE_S)
        return write(journal)

    with running(database, Job("tick", FOREVER, work)) as engine:
        assert working.wait(DEADLINE_S)
        thread = threading.Thread(target=engine.stop)
        thread.start()
        go_on.set()
        thread.join(DEADLINE_S)
        assert newest(database).state == "done"


@pytest.mark.slow
def test_a_long_job_does_not_keep_a_short_one_waiting(database, journal):
    long_start, short_done = threading.Event(), threading.Event()

    def long(_context, _slot):
        long_start.set()
        assert short_done.wait(DEADLINE_S)
        return write(journal, "l")

    with running(
        database, Job("long", FOREVER, long), Job("short", FOREVER, lambda _context, _slot: write(journal, "s"))
    ):
        assert long_start.wait(DEADLINE_S)
        wait_for(lambda: (run := newest(database, "short")) and run.state == "done")
        assert newest(database, "long").state == "running"
        short_done.set()
        wait_for(lambda: newest(database, "long").state == "done")
