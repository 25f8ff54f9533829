"""Threads for what is due, the engine that `python app.py` runs with them, and computations in child processes."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select

from service.jobs import processes, threads
from service.jobs.engine import Engine
from service.jobs.job import Every, Job
from service.jobs.processes import ChildFailed
from service.jobs.threads import Threads, Ticker
from service.market.instants import WorldClock
from service.store import runs
from service.store.database import Database
from tests.processes import wait_until

DEADLINE_S = 10
# Slots that come once in thirty years: each job of these tests runs once.
FOREVER = Every(10**9)
SLOT = 10**9


class Work:
    """Pieces of work that begin in a pool and end when a test lets them."""

    def __init__(self, limit: int) -> None:
        self.ends: list[str] = []
        self.may_end, self.after = threading.Event(), threading.Event()
        self.pool = Threads(limit, self.after.set)

    def begin(self, name: str, *, has_made_work: bool = False, time_limit_s: float = 60, **shares: int) -> bool:
        def work() -> bool:
            assert self.may_end.wait(DEADLINE_S)
            self.ends.append(name)
            return has_made_work

        return self.pool.begin(name, work, time_limit_s, shares)

    def stop(self) -> None:
        self.may_end.set()
        self.pool.stop(DEADLINE_S)


@pytest.fixture
def work() -> Callable[[int], Work]:
    pools: list[Work] = []

    def of(limit: int) -> Work:
        pools.append(Work(limit))
        return pools[-1]

    yield of
    for pool in pools:
        pool.stop()


def test_no_more_work_begins_than_there_are_threads(work):
    two = work(2)
    assert [two.begin(name) for name in ("a", "b", "c")] == [True, True, False]
    two.stop()
    assert sorted(two.ends) == ["a", "b"]
    assert not two.begin("d"), "it has stopped"


def test_work_of_one_name_runs_once_at_a_time(work):
    three = work(3)
    assert [three.begin(name) for name in ("a", "a", "b")] == [True, False, True]


def test_a_group_has_no_more_than_its_share(work):
    four = work(4)
    assert [four.begin(name, slow=2) for name in ("a", "b", "c")] == [True, True, False]
    assert four.begin("d")


def test_work_beyond_its_time_limit_no_longer_counts(work):
    pool = work(1)
    assert pool.begin("a", time_limit_s=0)
    assert pool.begin("b")


def test_more_is_begun_when_work_has_made_work(work):
    pool = work(1)
    pool.begin("a", has_made_work=True)
    pool.may_end.set()
    assert pool.after.wait(DEADLINE_S)


def test_a_failure_frees_its_thread(work):
    pool, failure = Threads(1), threading.Event()

    def fail() -> bool:
        failure.set()
        raise RuntimeError("database away")

    pool.begin("a", fail, 60)
    assert failure.wait(DEADLINE_S)
    pool.stop(DEADLINE_S)
    assert not pool._working


def test_the_ticker_survives_a_failure(monkeypatch):
    monkeypatch.setattr(threads, "AFTER_FAILURE_S", 0.001)
    beats, repetition = [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise RuntimeError("database away")
        repetition.set()

    ticker = Ticker(beat)
    ticker.start()
    assert repetition.wait(DEADLINE_S)
    ticker.stop()


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite, where threads block each other more; the database makes no other difference here."""
    return sqlite_url


@contextmanager
def running(database: Database, *jobs: Job) -> Iterator[Engine]:
    engine = Engine(database, jobs, SimpleNamespace(clock=WorldClock("simulated")))
    engine.start()
    yield engine
    engine.stop()


def write(journal, lane: str = "t"):
    return lambda db: db.execute(insert(journal).values(slot=SLOT, lane=lane))


def state(database: Database, job: str = "tick") -> str | None:
    with database.reading() as db:
        run = runs.newest_run(db, job)
    return run and run.state


def test_a_first_start_does_not_wait_for_the_ticker(database, journal, monkeypatch):
    """Which would come once an hour here: each job follows when the one that it needs is done."""
    monkeypatch.setattr(threads, "BEAT_S", 3600)
    names = ("a", "b", "c", "d")
    jobs = [
        Job(name, FOREVER, lambda _context, _slot, name=name: write(journal, name), needs=tuple(names[:n][-1:]))
        for n, name in enumerate(names)
    ]
    with running(database, *jobs):
        wait_until(lambda: state(database, "d") == "done", DEADLINE_S)
    with database.reading() as db:
        assert list(db.scalars(select(journal.c.lane).order_by(journal.c.id))) == list(names)


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
        assert state(database) == "done"


@pytest.mark.slow
def test_a_long_job_does_not_keep_a_short_one_waiting(database, journal):
    long_start, short_done = threading.Event(), threading.Event()

    def long(_context, _slot):
        long_start.set()
        assert short_done.wait(DEADLINE_S)
        return write(journal, "l")

    short = Job("short", FOREVER, lambda _context, _slot: write(journal, "s"))
    with running(database, Job("long", FOREVER, long), short):
        assert long_start.wait(DEADLINE_S)
        wait_until(lambda: state(database, "short") == "done", DEADLINE_S)
        assert state(database, "long") == "running"
        short_done.set()
        wait_until(lambda: state(database, "long") == "done", DEADLINE_S)


def test_a_child_has_the_session_of_its_parent_but_no_ctrl_c():
    """Its low priority counts against the web processes; the terminal's signals go to the parent alone."""
    assert processes.call_child(os.getsid, 0) == os.getsid(0)
    assert processes.call_child(os.getpgrp) != os.getpgrp()


def test_each_call_has_its_result_in_order():
    pairs = [(3.0, 4.0), (5.0, 12.0), (8.0, 15.0)]
    assert processes.call_child(processes.call_children, math.hypot, pairs) == [5.0, 13.0, 17.0]


def test_a_failure_among_several_is_raised():
    with pytest.raises(ChildFailed, match="math domain error"):
        processes.call_child(processes.call_children, math.sqrt, [(4.0,), (-1.0,)])


def test_a_process_that_is_killed_ends_the_others():
    """No result is waited for that cannot come: the other one would wait for ever."""
    with pytest.raises(ChildFailed, match="a process ended without a result"):
        processes.call_child(processes.call_children, _die_or_wait, [(True,), (False,)])


def _die_or_wait(dies: bool) -> None:
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
