"""What language models may cost in a day, when one that fails is left alone, and how many threads compute."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime
from threading import Event

import pytest

from service.sources.llm import limits
from service.sources.llm.limits import USED_UP, Breaker, Budget, ModelFailed, NotAsked, SpendingInMemory

DAY = "2026-11-21"
MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC).timestamp()
SOON_S, LATER_S = 0.1, 10.0


class Wall:
    """A wall clock that stands at five past eleven in the evening until a test says otherwise."""

    now = MIDNIGHT - 3300

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def breaker(wall: Wall) -> Breaker:
    return Breaker(wall)


@pytest.fixture
def spending() -> SpendingInMemory:
    return SpendingInMemory()


def test_a_reservation_counts_until_it_is_settled(wall, spending):
    """For all budgets of one storage, as of two processes; the cap itself may be reached, also by exactly one call."""
    budget, other = Budget(1000, None, spending, wall), Budget(1000, None, spending, wall)
    first = budget.reserve(600, 0.0)
    with pytest.raises(NotAsked, match=USED_UP):
        other.reserve(401, 0.0)
    budget.settle(first, 100, 0.0)
    other.reserve(900, 0.0)
    assert spending.add(DAY, 0, 0.0) == (1000, 0.0), "a refused call leaves no reservation"


def test_without_a_cap_nothing_is_refused_and_all_is_counted(wall, spending):
    """Dollars are a cap of their own."""
    budget = Budget(None, None, spending, wall)
    budget.settle(budget.reserve(10**12, 1e9), 7, 0.5)
    assert spending.add(DAY, 0, 0.0)[0] == 7
    budget = Budget(None, 1.0, SpendingInMemory(), wall)
    budget.reserve(10**9, 0.75)
    with pytest.raises(NotAsked, match=USED_UP):
        budget.reserve(1, 0.26)
    budget.reserve(1, 0.25)


def test_a_day_ends_at_midnight_utc(wall, spending):
    """A call over midnight counts on the day it began."""
    budget = Budget(1000, None, spending, wall)
    reservation = budget.reserve(1000, 0.0)
    wall.now = MIDNIGHT - 1
    with pytest.raises(NotAsked):
        budget.reserve(1, 0.0)
    wall.now = MIDNIGHT
    budget.reserve(1000, 0.0)
    budget.settle(reservation, 40, 0.0)
    assert (spending.add(DAY, 0, 0.0), spending.add("2026-11-22", 0, 0.0)) == ((40, 0.0), (1000, 0.0))


def test_fifty_at_once_never_pass_the_cap(wall, spending):
    budget = Budget(1000, None, spending, wall)

    def call(_: int) -> int:
        try:
            budget.settle(budget.reserve(100, 0.0), 100, 0.0)
        except NotAsked:
            return 0
        return 100

    with ThreadPoolExecutor(50) as pool:
        total = sum(pool.map(call, range(50)))
    assert total <= 1000
    assert spending.add(DAY, 0, 0.0) == (total, 0.0)


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ModelFailed), breaker.watching():
            raise ModelFailed("failed (500)")


def succeed(breaker: Breaker) -> None:
    with breaker.watching():
        pass


def refusal(breaker: Breaker) -> str:
    with pytest.raises(NotAsked) as refusal_info, breaker.watching():
        pytest.fail("it was let through")
    return refusal_info.value.detail


def test_the_third_failure_in_a_row_opens_it_for_thirty_seconds(breaker, wall):
    """Two are forgiven; a success between them begins the count anew."""
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 3)
    assert refusal(breaker) == "failed 3 times in a row; the next attempt is in 30 s"
    wall.now += 29.5
    assert refusal(breaker) == "failed 3 times in a row; the next attempt is in 1 s"
    wall.now += 0.5
    succeed(breaker)
    succeed(breaker)


def test_each_failed_trial_doubles_the_pause_up_to_ten_minutes(breaker, wall):
    fail(breaker, 3)
    for pause in (30, 60, 120, 240, 480, 600, 600):
        wall.now += pause - 1
        refusal(breaker)
        wall.now += 1
        fail(breaker)


def test_only_one_is_let_through_on_trial(breaker, wall):
    """A successful trial closes it."""
    fail(breaker, 3)
    wall.now += 30
    with breaker.watching():
        assert refusal(breaker) == "failed 3 times in a row; a new attempt is in progress"
    succeed(breaker)
    fail(breaker, 3)
    wall.now += 30
    fail(breaker)
    wall.now += 60
    succeed(breaker)
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 3)
    assert refusal(breaker).endswith("30 s")


def test_a_call_that_began_before_it_opened_decides_nothing(breaker, wall):
    failure_call, success_call = breaker.watching(), breaker.watching()
    failure_call.__enter__()
    success_call.__enter__()
    fail(breaker, 3)
    success_call.__exit__(None, None, None)
    refusal(breaker)
    wall.now += 30
    with breaker.watching():
        assert not failure_call.__exit__(ModelFailed, ModelFailed("failed (500)"), None), "not hidden from its caller"
    succeed(breaker)


def test_an_inconclusive_trial_is_repeated(breaker, wall):
    """The budget may be used up before the model is asked."""
    fail(breaker, 3)
    wall.now += 30
    for error in (NotAsked("used up"), KeyError("storage")):
        with pytest.raises(type(error)), breaker.watching():
            raise error
    succeed(breaker)
    fail(breaker, 2)
    succeed(breaker)


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
def start():
    """Starts a thread that asks for a turn; all of them end with the test."""
    members: list[Computing] = []
    with ThreadPoolExecutor(8) as threads:

        def add() -> Computing:
            members.append(Computing(threads))
            return members[-1]

        yield add
        for thread in members:
            thread.resume.set()
            thread.end.set()


@pytest.fixture
def team(start: Callable[[], Computing]) -> list[Computing]:
    """As many threads as may compute at once, each with a turn."""
    team = [start() for _ in range(limits.AT_ONCE)]
    assert all(thread.has_turn.wait(LATER_S) for thread in team)
    return team


def test_a_thread_waits_for_a_turn_until_one_is_free(start: Callable[[], Computing], team: list[Computing]):
    next_one = start()
    assert not next_one.has_turn.wait(SOON_S)
    team[0].resume.set()
    team[0].end.set()
    assert next_one.has_turn.wait(LATER_S)


def test_a_thread_that_waits_has_given_its_turn_to_others(start: Callable[[], Computing], team: list[Computing]):
    next_one = start()
    team[0].end.set()
    assert team[0].waits.wait(LATER_S)
    assert next_one.has_turn.wait(LATER_S)
    team[0].resume.set()
    assert wait([team[0].ended], SOON_S).not_done
    next_one.resume.set()
    next_one.end.set()
    team[0].ended.result(LATER_S)


def test_a_turn_is_free_again_after_a_failure():
    """Outside a turn, waiting is nothing."""
    for _ in range(limits.AT_ONCE + 1):
        with limits.waiting():
            pass
        with pytest.raises(ZeroDivisionError), limits.computing():
            _ = 1 / 0
