"""What language models may cost in a day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.sources.llm.budget import USED_UP, Budget, SpendingInMemory
from service.sources.llm.failures import NotAsked

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


@given(calls=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=30))
def test_the_day_never_costs_more_than_its_cap(calls):
    """As long as no call costs more than was set aside for it."""
    spending = SpendingInMemory()
    budget = Budget(1000, None, spending, Wall())
    for most, cost in calls:
        try:
            budget.settle(budget.reserve(most, 0.0), min(most, cost), 0.0)
        except NotAsked:
            continue
        assert spending.add("2026-11-21", 0, 0.0)[0] <= 1000


def test_old_days_are_forgotten(spending):
    for day in range(1, 29):
        spending.add(f"2026-11-{day:02}", 5, 0.1)
    assert spending.add("2026-11-28", 0, 0.0)[0] == 5
    assert spending.add("2026-11-27", 0, 0.0)[0] == 5
    assert spending.add("2026-11-26", 0, 0.0)[0] == 0
