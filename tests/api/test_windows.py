"""The storage and the strategy: exact, by the calendar, shared in Redis, and refunded without an answer."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
import redis
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from sqlalchemy import Connection, event, text
from structlog.testing import capture_logs

from service.api.auth import Caller
from service.api.limits import limiter
from service.api.windows import REDIS_PAUSE_S, MinuteWindows, RequestLimits, refund, request_limits
from service.config import Settings
from service.market.instants import MINUTE
from service.store import database as databases
from service.store import quotas
from service.store.database import Database
from tests.api.interrupted import InterruptedWeb, after_the_lease
from tests.api.web import ADDRESS, MIDNIGHT, NOON, Web, looked

PER_DAY, PER_HOUR, PER_MINUTE = RateLimitItemPerDay(2), RateLimitItemPerHour(2), RateLimitItemPerMinute(2)
CALLER = "key:1a2b3c4d", "test"


@pytest.fixture
def web(database) -> Web:
    return Web(database)


@contextmanager
def answering(web: Web) -> Iterator[None]:
    """A request with limits that is being answered."""
    with web.app.test_request_context():
        token = request_limits.set(RequestLimits(Caller(ADDRESS)))
        yield
        request_limits.reset(token)


def hit(web: Web, item: RateLimitItem, *, is_refunded: bool = False) -> bool:
    """Whether a request of its own passes; a refunded one counts no longer."""
    with answering(web):
        is_passed = limiter.limiter.hit(item, *CALLER)
        if is_refunded:
            refund()
        return is_passed


@pytest.mark.parametrize(("item", "ends"), [(PER_DAY, MIDNIGHT), (PER_HOUR, NOON + 3600), (PER_MINUTE, NOON + 60)])
def test_a_window_ends_by_the_calendar(web, item, ends):
    assert [hit(web, item) for _ in range(3)] == [True, True, False]
    with web.app.test_request_context():
        assert not limiter.limiter.test(item, *CALLER)
        assert limiter.limiter.get_window_stats(item, *CALLER) == (ends, 0)
        web.now = ends
        assert limiter.limiter.test(item, *CALLER)
        assert limiter.limiter.get_window_stats(item, *CALLER)[1] == 2
    assert hit(web, item)


@pytest.mark.parametrize(("item", "is_passed"), [(PER_DAY, True), (PER_HOUR, False), (PER_MINUTE, False)])
def test_a_day_is_refunded_and_a_shorter_window_is_not(web, item, is_passed):
    assert [hit(web, item, is_refunded=True), hit(web, item), hit(web, item)] == [True, True, is_passed]


def test_a_request_keeps_seeing_its_own_hit(web):
    with answering(web):
        limiter.limiter.hit(PER_DAY, *CALLER)
        with web.database.writing() as db:
            quotas.take_hits(db, "test:key:1a2b3c4d", MIDNIGHT)
        assert limiter.limiter.get_window_stats(PER_DAY, *CALLER).remaining == 1
    with web.app.test_request_context():
        assert limiter.limiter.get_window_stats(PER_DAY, *CALLER).remaining == 0


@pytest.mark.parametrize(("length", "ends"), [(60, NOON + 60), (3600, NOON + 3600)])
def test_the_storage_counts_by_itself(web, length, ends):
    with web.app.app_context():
        storage = limiter.storage
        assert (storage.check(), storage.get("k")) == (True, 0)
        assert [storage.incr("k", length), storage.incr("k", length, 2), storage.get("k")] == [1, 3, 3]
        assert storage.get_expiry("k") == ends
        storage.clear("k")
        assert (storage.get("k"), storage.incr("k", length)) == (0, 1)
        storage.reset()
        assert storage.get("k") == 0


@pytest.mark.parametrize("delay_s", [0, 1, 59])
def test_a_late_thread_counts_in_the_minute_that_has_begun(delay_s):
    minutes = MinuteWindows()
    assert [minutes.count("k", now).hits for now in (NOON, NOON - delay_s, NOON)] == [1, 2, 3]


def test_a_clock_that_was_set_back_blocks_no_caller():
    minutes = MinuteWindows()
    for _ in range(2):
        minutes.count("k", NOON + 3600)
    assert minutes.count("k", NOON).hits == 1


class TestWithRedis:
    def test_the_minutes_of_two_processes_are_counted_together(self, sqlite, redis_url):
        settings = Settings(redis_url=redis_url)
        first, second = Web(sqlite, settings), Web(sqlite, settings)
        assert looked(first, 70) == {200: 70}
        assert looked(second, 70) == {200: 50, 429: 20}
        first.now += MINUTE
        assert looked(first, 1) == {200: 1}

    def test_while_redis_is_away_each_process_counts_its_own(self, sqlite):
        web = Web(sqlite, Settings(redis_url="redis://127.0.0.1:1/0"))
        with capture_logs() as log:
            assert looked(web, 125) == {200: 120, 429: 5}
        (warning,) = [entry for entry in log if entry["event"] == "redis_unavailable"]
        assert warning["detail"] == "limits are counted per process"

    def test_a_hanging_redis_costs_its_timeout_only_once(self, sqlite):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            web = Web(sqlite, Settings(redis_url=f"redis://127.0.0.1:{silent.getsockname()[1]}/0"))
            silent.settimeout(0.0)
            assert looked(web, 125) == {200: 120, 429: 5}
            silent.accept()[0].close()
            with pytest.raises(BlockingIOError):
                silent.accept()

    def test_a_redis_that_recovers_is_asked_again(self, sqlite, redis_url):
        web, key = Web(sqlite, Settings(redis_url=redis_url)), f"ninefold:telemetry:address:{ADDRESS}/{NOON + MINUTE}"
        with redis.Redis.from_url(redis_url) as server:
            server.set(key, "damaged")
            assert looked(web, 2) == {200: 2}
            server.delete(key)
            assert looked(web, 2) == {200: 2}
            assert server.get(key) is None
            web.now += REDIS_PAUSE_S
            assert looked(web, 2) == {200: 2}
            assert server.get(key) == b"2"


@contextmanager
def locked(file: str) -> Iterator[None]:
    """The write lock of a SQLite file, held."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def impatient_sqlite(sqlite_url, monkeypatch) -> Iterator[Database]:
    """A SQLite database whose lock is waited for a tenth of a second, where the service waits ten seconds."""
    pragmas = ("busy_timeout = 100", *databases.SQLITE_PRAGMAS[1:])
    monkeypatch.setattr(databases, "SQLITE_PRAGMAS", pragmas)
    with closing(Database(sqlite_url)) as database:
        yield database


def assert_refunded_after_the_lease(web: Web, key: str) -> None:
    """The call still counts, until the job has run."""
    for count in (1, 0):
        assert web.send("GET", "/api/v1/me", key=key).json["used"] == count
        after_the_lease(web.database)


OUTCOMES = [("a refusal", 400), ("no voters", 503), ("an answer", 503)]


@pytest.mark.slow
@pytest.mark.parametrize(("wish", "status"), OUTCOMES)
def test_a_database_locked_during_the_refund_loses_nothing(impatient_sqlite, wish, status):
    """The answer that cannot be settled is not given: it would be free."""
    lock = locked(impatient_sqlite.engine.url.database)
    web = InterruptedWeb(impatient_sqlite, interruption=lock.__enter__)
    key = web.register().json["api_key"]
    assert web.ask(key, wish).status_code == status
    lock.__exit__(None, None, None)
    assert_refunded_after_the_lease(web, key)


@pytest.mark.slow
@pytest.mark.parametrize(("wish", "status"), OUTCOMES)
def test_connections_ended_during_the_refund_lose_nothing(postgresql_url, wish, status):
    """The server ends each connection of the request as soon as its next transaction begins."""
    with closing(Database(postgresql_url)) as database, closing(Database(postgresql_url)) as operator:

        def end(connection: Connection) -> None:
            process = connection.connection.driver_connection.info.backend_pid
            with operator.writing() as db:
                db.execute(text("SELECT pg_terminate_backend(:process, 1000)"), {"process": process})

        web = InterruptedWeb(database, interruption=lambda: event.listen(database.engine, "begin", end))
        key = web.register().json["api_key"]
        assert web.ask(key, wish).status_code == status
        event.remove(database.engine, "begin", end)
        assert_refunded_after_the_lease(web, key)
