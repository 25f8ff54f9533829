"""One run for identical questions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from threading import Barrier, Event

import pytest

from service.api.single_flight import KEPT_S, Abandoned, SingleFlight
from service.errors import NoVoters


@dataclass
class Wall:
    time: float = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def sharing(wall: Wall) -> SingleFlight[str]:
    return SingleFlight(wall)


@pytest.fixture
def run(sharing: SingleFlight[str]) -> Callable[[str, str], bool]:
    """Joins, and makes the run where it is its own; says whether it was."""

    def run(key: str, answer: str) -> bool:
        with sharing.join(key) as (outcome, mine):
            if mine:
                outcome.set_result(answer)
        return mine

    return run


def test_a_repeated_question_soon_after_gets_the_same_answer(sharing, run):
    assert run("up?", "yes")
    with sharing.join("up?") as (outcome, mine):
        assert (outcome.result(), mine) == ("yes", False)


def test_another_question_is_another_run(run):
    assert run("up?", "yes")
    assert run("down?", "no")


def test_after_the_cache_time_it_runs_again(run, wall):
    assert run("up?", "yes")
    wall.time = KEPT_S - 1
    assert not run("up?", "no")
    wall.time = KEPT_S
    assert run("up?", "no")


def test_a_run_longer_than_its_cache_time_is_not_started_twice(sharing, run, wall):
    with sharing.join("up?") as (outcome, mine):
        assert mine
        wall.time = KEPT_S + 1
        assert not run("up?", "again")
        outcome.set_result("late")
    assert run("up?", "again")


def test_concurrent_callers_share_one_run(sharing):
    runs, meet, go = [], Barrier(9), Event()

    def ask(place: int) -> str:
        meet.wait(20)
        with sharing.join("up?") as (outcome, mine):
            if mine:
                assert go.wait(20)
                runs.append(place)
                outcome.set_result(f"by {place}")
        return outcome.result(20)

    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(ask, place) for place in range(8)]
        meet.wait(20)
        go.set()
        answers = {future.result(20) for future in futures}
    assert len(runs) == 1
    assert answers == {f"by {runs[0]}"}


def test_a_failure_reaches_every_waiting_caller_and_no_later_one(sharing, run):
    leader = ExitStack()
    leader.enter_context(sharing.join("up?"))
    with sharing.join("up?") as (waiting, mine):
        assert not mine
    with pytest.raises(NoVoters), leader:
        raise NoVoters("Too few.", abstained={})
    assert isinstance(waiting.exception(0), NoVoters)
    assert run("up?", "yes")


@pytest.mark.parametrize("leaving", [GeneratorExit, KeyboardInterrupt, None])
def test_a_waiting_caller_takes_over_an_abandoned_run(sharing, run, leaving):
    with pytest.raises(leaving) if leaving else nullcontext(), sharing.join("up?") as (outcome, _):
        if leaving:
            raise leaving
    assert isinstance(outcome.exception(0), Abandoned)
    assert run("up?", "yes")


def test_an_answer_is_kept_when_its_first_caller_leaves(sharing, run):
    """It went away while the answer was being sent to it."""
    leader = ExitStack()
    outcome, _ = leader.enter_context(sharing.join("up?"))
    outcome.set_result("yes")
    with pytest.raises(GeneratorExit), leader:
        raise GeneratorExit
    assert not run("up?", "no")
    assert outcome.result(0) == "yes"


def test_a_late_failure_does_not_end_the_next_run(sharing, wall):
    """A run that failed late must not take away the one that came after it."""
    leader = ExitStack()
    first, _ = leader.enter_context(sharing.join("up?"))
    first.set_result("yes")
    wall.time = KEPT_S
    with sharing.join("up?") as (second, mine):
        assert mine
        with pytest.raises(NoVoters), leader:
            raise NoVoters("Too few.", abstained={})
        with sharing.join("up?") as joined:
            assert joined == (second, False)
        assert not second.done()
