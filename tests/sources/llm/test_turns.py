"""Threads of models compute a few at a time, and not while they wait."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import pytest

from service.sources.llm import turns

SOON_S, LATER_S = 0.1, 10.0


class Computing:
    """A thread that asks for a turn, has it until `end`, and waits meanwhile if it is told to."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.has_turn, self.waits, self.resume, self.end = Event(), Event(), Event(), Event()
        self.ended = threads.submit(self._run)

    def _run(self) -> None:
        with turns.computing():
            self.has_turn.set()
            self.end.wait(LATER_S)
            if self.resume.is_set():
                return
            with turns.waiting():
                self.waits.set()
                self.resume.wait(LATER_S)


@pytest.fixture
def started():
    """Starts a thread that asks for a turn; all of them end with the test."""
    begun: list[Computing] = []
    with ThreadPoolExecutor(8) as threads:

        def start() -> Computing:
            begun.append(Computing(threads))
            return begun[-1]

        yield start
        for thread in begun:
            thread.resume.set()
            thread.end.set()


def test_a_thread_waits_for_a_turn_until_one_is_free(started: Callable[[], Computing]):
    computing = [started() for _ in range(turns.AT_ONCE)]
    assert all(thread.has_turn.wait(LATER_S) for thread in computing)
    next_one = started()
    assert not next_one.has_turn.wait(SOON_S)
    computing[0].resume.set()
    computing[0].end.set()
    assert next_one.has_turn.wait(LATER_S)


def test_a_thread_that_waits_has_given_its_turn_to_others(started: Callable[[], Computing]):
    computing = [started() for _ in range(turns.AT_ONCE)]
    assert all(thread.has_turn.wait(LATER_S) for thread in computing)
    next_one = started()
    computing[0].end.set()
    assert computing[0].waits.wait(LATER_S)
    assert next_one.has_turn.wait(LATER_S)
    computing[0].resume.set()
    assert wait([computing[0].ended], SOON_S).not_done
    next_one.resume.set()
    next_one.end.set()
    computing[0].ended.result(LATER_S)


def test_a_turn_is_free_again_after_a_failure():
    for _ in range(turns.AT_ONCE + 1):
        with pytest.raises(ZeroDivisionError), turns.computing():
            _ = 1 / 0


def test_outside_a_turn_waiting_is_nothing():
    for _ in range(turns.AT_ONCE + 1):
        with turns.waiting():
            pass
    with turns.computing():
        pass
