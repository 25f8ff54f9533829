"""One run for identical questions."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier, Event

import pytest

from service.api.sharing import KEPT_S, Abandoned, Sharing
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
def sharing(wall: Wall) -> Sharing[str]:
    return Sharing(wall)


@pytest.fixture
def run(sharing: Sharing[str]) -> Callable[[str, str], bool]:
    """Joins, and makes the run where it is its own; says whether it was."""

    def run(key: str, answer: str) -> bool:
        outcome, mine = sharing.join(key)
        if mine:
            with sharing.making(key, outcome):
                outcome.set_result(answer)
        return mine

    return run


def test_who_asks_the_same_soon_after_gets_the_same(sharing, run):
    assert run("up?", "yes")
    outcome, mine = sharing.join("up?")
    assert (outcome.result(), mine) == ("yes", False)


def test_another_question_is_another_run(run):
    assert run("up?", "yes")
    assert run("down?", "no")


def test_after_some_minutes_it_is_asked_anew(run, wall):
    assert run("up?", "yes")
    wall.time = KEPT_S - 1
    assert not run("up?", "no")
    wall.time = KEPT_S
    assert run("up?", "no")


def test_a_run_that_takes_longer_than_it_would_be_kept_is_not_made_twice(sharing, run, wall):
    outcome, mine = sharing.join("up?")
    assert mine
    wall.time = KEPT_S + 1
    assert not run("up?", "again")
    with sharing.making("up?", outcome):
        outcome.set_result("late")
    assert run("up?", "again")


def test_of_many_at_once_one_makes_the_run_and_all_get_it(sharing):
    made, meet, go = [], Barrier(9), Event()

    def ask(place: int) -> str:
        meet.wait(20)
        outcome, mine = sharing.join("up?")
        if mine:
            with sharing.making("up?", outcome):
                assert go.wait(20)
                made.append(place)
                outcome.set_result(f"by {place}")
        return outcome.result(20)

    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(ask, place) for place in range(8)]
        meet.wait(20)
        go.set()
        answers = {one.result(20) for one in asked}
    assert len(made) == 1
    assert answers == {f"by {made[0]}"}


def test_as_it_fails_for_its_maker_it_fails_for_all_who_wait_and_for_nobody_later(sharing, run):
    outcome, _ = sharing.join("up?")
    waiting, mine = sharing.join("up?")
    with pytest.raises(NoVoters), sharing.making("up?", outcome):
        raise NoVoters("Too few.", abstained={})
    assert not mine
    assert isinstance(waiting.exception(0), NoVoters)
    assert run("up?", "yes")


@pytest.mark.parametrize("leaving", [GeneratorExit, KeyboardInterrupt, None])
def test_when_its_maker_goes_away_somebody_who_waits_can_make_it(sharing, run, leaving):
    outcome, _ = sharing.join("up?")

    def make() -> None:
        with sharing.making("up?", outcome):
            if leaving:
                raise leaving

    if leaving:
        with pytest.raises(leaving):
            make()
    else:
        make()
    assert isinstance(outcome.exception(0), Abandoned)
    assert run("up?", "yes")


def test_what_was_answered_stays_answered_whatever_happens_to_its_maker_afterwards(sharing, run):
    """It went away while the answer was being sent to it."""
    outcome, _ = sharing.join("up?")

    def make() -> None:
        with sharing.making("up?", outcome):
            outcome.set_result("yes")
            raise GeneratorExit

    with pytest.raises(GeneratorExit):
        make()
    assert not run("up?", "no")
    assert sharing.join("up?")[0].result(0) == "yes"


def test_one_that_was_forgotten_and_begun_anew_is_not_ended_by_the_first(sharing):
    """A run that failed late must not take away the one that came after it."""
    first, _ = sharing.join("up?")
    with sharing.making("up?", first):
        pass
    second, mine = sharing.join("up?")
    assert mine
    with sharing.making("up?", first):
        pass
    assert sharing.join("up?") == (second, False)
    assert isinstance(second, Future)
    assert not second.done()
