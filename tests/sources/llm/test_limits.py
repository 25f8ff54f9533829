"""What language models may cost in a day, when one that fails is left alone, and how many threads compute."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from threading import Event

import pytest

from service.sources.llm import limits
from service.sources.llm.limits import USED_UP, Breaker, Budget, ModelFailed, NotAsked, SpendingInMemory

MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC).timestamp()


class Wall:
    """A wall clock that stands at five past eleven in the evening until a test says otherwise."""

    now = MIDNIGHT - 3300

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def spending() -> SpendingInMemory:
    return SpendingInMemory()


def test_a_reservation_counts_until_it_is_settled(wall, spending):
    budget = Budget(1000, None, spending, wall)
    first = budget.reserve(600, 0.0)
    with pytest.raises(NotAsked, match=USED_UP):
        budget.reserve(401, 0.0)
    budget.settle(first, 100, 0.0)
    budget.reserve(900, 0.0)


def test_a_refused_call_leaves_no_reservation(wall, spending):
    budget = Budget(1000, 1.0, spending, wall)
    with pytest.raises(NotAsked):
        budget.reserve(1001, 0.5)
    assert spending.add("2026-11-21", 0, 0.0) == (0, 0.0)


def test_the_cap_itself_may_be_reached(wall, spending):
    budget = Budget(1000, 1.0, spending, wall)
    budget.reserve(1000, 1.0)
    assert spending.add("2026-11-21", 0, 0.0) == (1000, 1.0)
    with pytest.raises(NotAsked):
        budget.reserve(1, 0.0)


def test_dollars_are_a_cap_of_their_own(wall, spending):
    budget = Budget(None, 1.0, spending, wall)
    budget.reserve(10**9, 0.75)
    with pytest.raises(NotAsked, match=USED_UP):
        budget.reserve(1, 0.26)
    budget.reserve(1, 0.25)


def test_without_a_cap_nothing_is_refused_and_all_is_counted(wall, spending):
    budget = Budget(None, None, spending, wall)
    budget.settle(budget.reserve(10**12, 1e9), 7, 0.5)
    assert spending.add("2026-11-21", 0, 0.0)[0] == 7


def test_it_opens_again_at_midnight_utc(wall, spending):
    budget = Budget(1000, None, spending, wall)
    budget.reserve(1000, 0.0)
    wall.now = MIDNIGHT - 1
    with pytest.raises(NotAsked):
        budget.reserve(1, 0.0)
    wall.now = MIDNIGHT
    budget.reserve(1000, 0.0)


def test_a_call_over_midnight_counts_on_the_day_it_began(wall, spending):
    budget = Budget(1000, None, spending, wall)
    reserved = budget.reserve(1000, 0.0)
    wall.now = MIDNIGHT + 5
    budget.settle(reserved, 40, 0.0)
    assert spending.add("2026-11-21", 0, 0.0) == (40, 0.0)
    assert spending.add("2026-11-22", 0, 0.0) == (0, 0.0)


def test_two_budgets_over_one_storage_share_the_day(wall, spending):
    """As two processes do."""
    Budget(1000, None, spending, wall).reserve(600, 0.0)
    with pytest.raises(NotAsked):
        Budget(1000, None, spending, wall).reserve(600, 0.0)


def test_fifty_at_once_never_pass_the_cap(wall, spending):
    budget = Budget(1000, None, spending, wall)

    def call(_: int) -> int:
        try:
            budget.settle(budget.reserve(100, 0.0), 100, 0.0)
        except NotAsked:
            return 0
        return 100

    with ThreadPoolExecutor(50) as pool:
        spent = sum(pool.map(call, range(50)))
    assert spent <= 1000
    assert spending.add("2026-11-21", 0, 0.0) == (spent, 0.0)


def test_old_days_are_forgotten(spending):
    for day in range(1, 29):
        spending.add(f"2026-11-{day:02}", 5, 0.1)
    assert spending.add("2026-11-28", 0, 0.0)[0] == 5
    assert spending.add("2026-11-27", 0, 0.0)[0] == 5
    assert spending.add("2026-11-26", 0, 0.0)[0] == 0


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


SOON_S, LATER_S = 0.1, 10.0


class Computing:
    """A thread that asks for a turn, has it until `end`, and waits meanwhile if it is told to."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.has_turn, self.waits, self.resume, self.end = Event(), Event(), Event(), Event()
        self.ended = threads.submit(self._run)

    def _run(self) -> None:
        with limits.computing():
            self.has_turn.set()
            self.end.wait(LATER_S)
            if self.resume.is_set():
                return
            with limits.waiting():
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
    computing = [started() for _ in range(limits.AT_ONCE)]
    assert all(thread.has_turn.wait(LATER_S) for thread in computing)
    next_one = started()
    assert not next_one.has_turn.wait(SOON_S)
    computing[0].resume.set()
    computing[0].end.set()
    assert next_one.has_turn.wait(LATER_S)


def test_a_thread_that_waits_has_given_its_turn_to_others(started: Callable[[], Computing]):
    computing = [started() for _ in range(limits.AT_ONCE)]
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
    for _ in range(limits.AT_ONCE + 1):
        with pytest.raises(ZeroDivisionError), limits.computing():
            _ = 1 / 0


def test_outside_a_turn_waiting_is_nothing():
    for _ in range(limits.AT_ONCE + 1):
        with limits.waiting():
            pass
    with limits.computing():
        pass
