"""Threads for what is due, and the one that looks every second."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from service.jobs import threads
from service.jobs.threads import Threads, Ticker

DEADLINE_S = 10


class Work:
    """Pieces of work that begin in a pool and end when a test lets them."""

    def __init__(self, limit: int) -> None:
        self.ends: list[str] = []
        self.after = threading.Event()
        self.pool = Threads(limit, self.after.set)
        self._gates: dict[str, threading.Event] = {}

    def begin(self, name: str, *, has_made_work: bool = False, time_limit_s: float = 60, **shares: int) -> bool:
        gate = threading.Event()

        def work() -> bool:
            assert gate.wait(DEADLINE_S)
            self.ends.append(name)
            return has_made_work

        has_begun = self.pool.begin(name, work, time_limit_s, shares)
        if has_begun:
            self._gates[name] = gate
        return has_begun

    def end(self, *names: str) -> None:
        for name in names:
            self._gates.pop(name).set()

    def stop(self) -> None:
        self.end(*list(self._gates))
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
    pool.end("a")
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
