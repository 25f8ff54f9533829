"""The storage as Flask-Limiter sees it: its own strategy over it keeps to the limit and to the calendar."""

from __future__ import annotations

import pytest
from limits import RateLimitItemPerDay, RateLimitItemPerMinute
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from service.api.windows import MinuteWindows
from tests.api.web import MIDNIGHT, NOON

DAY, MINUTE = RateLimitItemPerDay(2), RateLimitItemPerMinute(2)


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(database, clock) -> FixedWindowRateLimiter:
    options = {"database": database, "minutes": MinuteWindows(), "now": clock}
    return FixedWindowRateLimiter(storage_from_string("ninefold://", **options))


@pytest.mark.parametrize(("item", "ends"), [(DAY, MIDNIGHT), (MINUTE, NOON + 60)], ids=["day", "minute"])
def test_a_window_lets_its_limit_through_and_ends_by_the_calendar(limiter, clock, item, ends):
    assert [limiter.hit(item, "caller") for _ in range(3)] == [True, True, False]
    assert not limiter.test(item, "caller")
    assert limiter.get_window_stats(item, "caller") == (ends, 0)
    clock.now = ends
    assert limiter.test(item, "caller")
    assert limiter.hit(item, "caller")


def test_the_storage_says_that_it_is_well(limiter):
    assert limiter.storage.check()


@pytest.mark.parametrize("late", [0, 1, 59])
def test_a_thread_that_comes_late_counts_in_the_minute_that_has_begun(late):
    minutes = MinuteWindows()
    assert minutes.take("k", 2, NOON).hits == 1
    assert minutes.take("k", 2, NOON - late).hits == 2
    assert minutes.take("k", 2, NOON) is None


def test_a_clock_that_was_set_back_holds_nobody_up():
    minutes = MinuteWindows()
    for _ in range(2):
        minutes.take("k", 2, NOON + 3600)
    assert minutes.take("k", 2, NOON).hits == 1
