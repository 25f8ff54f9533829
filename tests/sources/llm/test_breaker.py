"""Whoever fails again and again is left alone for a while, then tried once. The clock is driven by hand."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from service.sources.llm.breaker import Breaker
from service.sources.llm.failures import ModelFailed, NotAsked


class Clock:
    """Seconds that pass when a test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ModelFailed), breaker.watching():
            raise ModelFailed("failed (500)")


def succeed(breaker: Breaker) -> None:
    with breaker.watching():
        pass


def is_let_through(breaker: Breaker) -> bool:
    with breaker.watching():
        return True


def refusal(breaker: Breaker) -> str:
    with pytest.raises(NotAsked) as caught, breaker.watching():
        pytest.fail("it was let through")
    return caught.value.reason


def end_in_failure(call: AbstractContextManager[None]) -> None:
    """A call that was let through comes to nothing; it is not hidden from whoever made it."""
    assert not call.__exit__(ModelFailed, ModelFailed("failed (500)"), None)


def test_two_failures_are_forgiven(breaker):
    """A success between them begins the count anew."""
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 2)
    assert is_let_through(breaker)


def test_the_third_in_a_row_opens_it_for_thirty_seconds(breaker, clock):
    fail(breaker, 3)
    assert refusal(breaker) == "failed 3 times in a row; the next attempt is in 30 s"
    clock.now += 29.5
    assert refusal(breaker) == "failed 3 times in a row; the next attempt is in 1 s"
    clock.now += 0.5
    succeed(breaker)
    succeed(breaker)


def test_each_failed_trial_doubles_the_pause_up_to_ten_minutes(breaker, clock):
    fail(breaker, 3)
    pauses = []
    for _ in range(7):
        began = clock.now
        while True:
            clock.now += 1
            try:
                with breaker.watching():
                    raise ModelFailed("failed (500)")
            except NotAsked:
                continue
            except ModelFailed:
                break
        pauses.append(clock.now - began)
    assert pauses == [30, 60, 120, 240, 480, 600, 600]


def test_a_successful_trial_closes_it(breaker, clock):
    fail(breaker, 3)
    clock.now += 30
    fail(breaker)
    clock.now += 60
    succeed(breaker)
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 3)
    assert refusal(breaker).endswith("30 s")


def test_only_one_is_let_through_on_trial(breaker, clock):
    fail(breaker, 3)
    clock.now += 30
    with breaker.watching():
        assert refusal(breaker) == "failed 3 times in a row; a new attempt is in progress"
    succeed(breaker)


def test_twenty_calls_that_fail_together_open_it_once(breaker, clock):
    calls = [breaker.watching() for _ in range(20)]
    for call in calls:
        call.__enter__()
    for call in calls:
        end_in_failure(call)
    assert refusal(breaker).endswith("30 s")


def test_a_call_that_began_before_it_opened_decides_nothing(breaker, clock):
    slow, lucky = breaker.watching(), breaker.watching()
    slow.__enter__()
    lucky.__enter__()
    fail(breaker, 3)
    lucky.__exit__(None, None, None)
    refusal(breaker)
    clock.now += 30
    with breaker.watching():
        end_in_failure(slow)
    succeed(breaker)


def test_an_inconclusive_trial_is_repeated(breaker, clock):
    """The budget may be used up before the model is asked."""
    fail(breaker, 3)
    clock.now += 30
    for error in (NotAsked("used up"), KeyError("storage")):
        with pytest.raises(type(error)), breaker.watching():
            raise error
    succeed(breaker)
    fail(breaker, 2)
    succeed(breaker)
