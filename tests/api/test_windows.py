"""The strategy over its storage: exact to the limit, aligned with the calendar, refundable for a day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.errors import ConfigurationError
from limits.storage import MemoryStorage

from service.api.auth import Caller
from service.api.charging import limiter
from service.api.windows import AlignedWindowRateLimiter, MinuteWindows, RequestLimits, request_limits
from service.store import windows
from tests.api.web import ADDRESS, MIDNIGHT, NOON, Web

DAY, HOUR, MINUTE = RateLimitItemPerDay(2), RateLimitItemPerHour(2), RateLimitItemPerMinute(2)
CALLER = "key:1a2b3c4d", "test"


@pytest.fixture
def web(database) -> Web:
    return Web(database)


def strategy() -> AlignedWindowRateLimiter:
    assert isinstance(limiter.limiter, AlignedWindowRateLimiter)
    return limiter.limiter


@contextmanager
def answering(web: Web) -> Iterator[None]:
    """A request with limits that is being answered."""
    with web.app.test_request_context():
        token = request_limits.set(RequestLimits(Caller(ADDRESS)))
        yield
        request_limits.reset(token)


def hit(web: Web, item: RateLimitItem, *, refund: bool = False) -> bool:
    """Whether a request of its own passes; a refunded one counts no longer."""
    with answering(web):
        passed = strategy().hit(item, *CALLER)
        if refund:
            strategy().refund()
        return passed


@pytest.mark.parametrize(
    ("item", "ends"), [(DAY, MIDNIGHT), (HOUR, NOON + 3600), (MINUTE, NOON + 60)], ids=["day", "hour", "minute"]
)
def test_a_window_ends_by_the_calendar(web, item, ends):
    assert [hit(web, item) for _ in range(3)] == [True, True, False]
    with web.app.test_request_context():
        assert not strategy().test(item, *CALLER)
        assert strategy().get_window_stats(item, *CALLER) == (ends, 0)
        web.now = ends
        assert strategy().test(item, *CALLER)
        assert strategy().get_window_stats(item, *CALLER)[1] == 2
    assert hit(web, item)


@pytest.mark.parametrize(("item", "passing"), [(DAY, True), (HOUR, False), (MINUTE, False)])
def test_a_day_is_refunded_and_a_shorter_window_is_not(web, item, passing):
    assert [hit(web, item, refund=True), hit(web, item), hit(web, item)] == [True, True, passing]


def test_a_larger_limit_keeps_what_was_used(web):
    assert [hit(web, RateLimitItemPerDay(2)) for _ in range(3)] == [True, True, False]
    assert [hit(web, RateLimitItemPerDay(3)) for _ in range(2)] == [True, False]


def test_a_request_keeps_seeing_its_own_hit(web):
    with answering(web):
        strategy().hit(DAY, *CALLER)
        with web.database.writing() as db:
            windows.take(db, "test:key:1a2b3c4d", MIDNIGHT)
        assert strategy().get_window_stats(DAY, *CALLER).remaining == 1
    with web.app.test_request_context():
        assert strategy().get_window_stats(DAY, *CALLER).remaining == 0


def test_the_storage_reports_that_it_works(web):
    with web.app.app_context():
        assert limiter.storage.check()


def test_the_strategy_refuses_another_storage():
    with pytest.raises(ConfigurationError, match="ninefold://"):
        AlignedWindowRateLimiter(MemoryStorage())


@pytest.mark.parametrize("late", [0, 1, 59])
def test_a_late_thread_counts_in_the_minute_that_has_begun(late):
    minutes = MinuteWindows()
    hits = [minutes.take("k", 2, now) for now in (NOON, NOON - late, NOON)]
    assert [window and window.hits for window in hits] == [1, 2, None]


def test_a_clock_that_was_set_back_blocks_no_caller():
    minutes = MinuteWindows()
    for _ in range(2):
        minutes.take("k", 2, NOON + 3600)
    window = minutes.take("k", 2, NOON)
    assert window is not None
    assert window.hits == 1
