"""Windows of a minute in Redis: shared by all processes, and counted per process while Redis is away."""

from __future__ import annotations

import socket
from time import monotonic

import redis
from structlog.testing import capture_logs

from service.api.redis_windows import PAUSE_S, TIMEOUT_S
from service.config import Settings
from service.market.instants import MINUTE
from tests.api.web import ADDRESS, NOON, Web, looked


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
        with capture_logs() as logged:
            assert looked(web, 125) == {200: 120, 429: 5}
        (warning,) = [entry for entry in logged if entry["event"] == "redis_unavailable"]
        assert warning["detail"] == "limits are counted per process"

    def test_a_hanging_redis_costs_its_timeout_only_once(self, sqlite):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            web = Web(sqlite, Settings(redis_url=f"redis://127.0.0.1:{silent.getsockname()[1]}/0"))
            began = monotonic()
            assert looked(web, 125) == {200: 120, 429: 5}
            assert TIMEOUT_S <= monotonic() - began < 20 * TIMEOUT_S

    def test_a_redis_that_recovers_is_asked_again(self, sqlite, redis_url):
        web, key = Web(sqlite, Settings(redis_url=redis_url)), f"ninefold:telemetry:address:{ADDRESS}/{NOON + MINUTE}"
        with redis.Redis.from_url(redis_url) as server:
            server.set(key, "damaged")
            assert looked(web, 2) == {200: 2}
            server.delete(key)
            assert looked(web, 2) == {200: 2}
            assert server.get(key) is None
            web.now += PAUSE_S
            assert looked(web, 2) == {200: 2}
            assert server.get(key) == b"2"
