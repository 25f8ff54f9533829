"""The daily quota and the other limits: how many requests of whom, exact whatever comes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from service.access.quota import DELEGATED_CAP, DELEGATED_TELEMETRY, TELEMETRY_CALLS
from service.store import windows
from tests.api.web import MIDNIGHT, Web, looked, rate_headers

ROOT = Path(__file__).parents[2]


@pytest.fixture
def web(database) -> Web:
    return Web(database)


@pytest.fixture
def key(web) -> str:
    return web.register().json["api_key"]


class TestTheDailyQuota:
    @pytest.mark.slow
    @pytest.mark.parametrize("calls", [50, 100])
    def test_of_a_burst_exactly_ten_calls_pass(self, web, calls, tries):
        for number in range(tries(1, 5, 100)):
            assert web.burst(web.granted(f"{number}@example.com"), calls) == {200: 10, 429: calls - 10}

    @pytest.mark.slow
    def test_of_a_burst_on_several_processes_exactly_ten_calls_pass(self, key, database_url):
        command = [sys.executable, "-m", "tests.api.web", database_url, key, "50"]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
        came = Counter()
        for process in processes:
            came.update(json.loads(process.communicate(timeout=120)[0]))
        assert came == {"200": 10, "429": 90}

    def test_it_outlives_a_restart(self, web, key):
        assert web.statuses(key, 7) == {200: 7}
        web.app = web.started()
        assert web.statuses(key, 7) == {200: 3, 429: 4}

    def test_it_resets_at_midnight_utc_to_the_second(self, web, key):
        web.now = MIDNIGHT - 0.001
        assert web.statuses(key, 11) == {200: 10, 429: 1}
        web.now = MIDNIGHT
        assert web.statuses(key, 11) == {200: 10, 429: 1}


class TestTelemetry:
    """Public documents are counted per address, and per end user where a delegating key names one."""

    @pytest.fixture
    def web(self, sqlite) -> Web:
        return Web(sqlite)

    def test_each_end_user_of_a_delegating_key_has_a_limit(self, web):
        key = web.granted(delegating=True)
        for user in ("alice", "bob"):
            came = looked(web, TELEMETRY_CALLS + 1, key=key, headers={"X-End-User": user})
            assert came == {200: TELEMETRY_CALLS, 429: 1}
        assert looked(web, 1) == {200: 1}

    def test_all_end_users_of_a_key_have_a_cap(self, web):
        key = web.granted(delegating=True)
        came = Counter()
        for user in range(DELEGATED_TELEMETRY // TELEMETRY_CALLS + 1):
            came += looked(web, TELEMETRY_CALLS, key=key, headers={"X-End-User": f"user {user}"})
        assert came == {200: DELEGATED_TELEMETRY, 429: TELEMETRY_CALLS}

    @pytest.mark.parametrize("kind", ["free", "wrong"])
    def test_an_end_user_of_any_other_key_is_its_address(self, web, kind):
        key = web.register().json["api_key"] if kind == "free" else "nonsense"
        came = Counter()
        for user in ("alice", "bob"):
            came += looked(web, TELEMETRY_CALLS, key=key, headers={"X-End-User": user})
        assert came == {200: TELEMETRY_CALLS, 429: TELEMETRY_CALLS}


class TestADelegatingKey:
    @pytest.fixture
    def web(self, sqlite) -> Web:
        return Web(sqlite)

    @pytest.fixture
    def key(self, web) -> str:
        return web.granted(delegating=True)

    def test_gives_each_of_its_end_users_a_quota(self, web, key):
        for user in ("alice", "bob", "carol / 3"):
            assert web.statuses(key, 11, headers={"X-End-User": user}) == {200: 10, 429: 1}
        assert web.statuses(key, 11) == {200: 10, 429: 1}

    def test_has_a_cap_over_all_of_them(self, web, key):
        self.use(web, key, DELEGATED_CAP - 2)
        answers = [web.ask(key, headers={"X-End-User": user}) for user in ("alice", "bob", "carol")]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert (answers[2].json["limit"], answers[2].json["remaining"]) == (DELEGATED_CAP, 0)
        assert answers[1].headers["X-RateLimit-Limit"] == str(DELEGATED_CAP)

    def test_refused_for_its_cap_costs_the_end_user_nothing(self, web, key):
        self.use(web, key, DELEGATED_CAP)
        assert web.statuses(key, 3, headers={"X-End-User": "alice"}) == {429: 3}
        usage = web.send("GET", "/api/v1/me", key=key, headers={"X-End-User": "alice"}).json
        assert (usage["end_user"], usage["used"]) == ("alice", 0)

    def test_refused_for_its_end_user_costs_the_cap_nothing(self, web, key):
        assert web.statuses(key, 20, headers={"X-End-User": "alice"}) == {200: 10, 429: 10}
        with web.database.reading() as db:
            assert windows.read(db, f"delegated:key:{key.split('_')[2]}", web.now).hits == 10

    def test_reports_both_limits(self, web, key):
        headers = rate_headers(web.ask(key, headers={"X-End-User": "alice"}))
        assert headers["RateLimit-Policy"] == f'"daily";q=10;w=86400, "delegated";q={DELEGATED_CAP};w=86400'
        assert headers["RateLimit"] == f'"daily";r=9;t=43200, "delegated";r={DELEGATED_CAP - 1};t=43200'

    @pytest.mark.parametrize("user", ["", "x" * 65, "al\tice", "alicé"])
    def test_refuses_an_invalid_end_user(self, web, key, user):
        """Valid are 1 to 64 printable ASCII characters."""
        refused = web.ask(key, headers={"X-End-User": user})
        assert (refused.status_code, refused.json["errors"][0]["field"]) == (400, "X-End-User")

    def use(self, web: Web, key: str, calls: int) -> None:
        with web.database.writing() as db:
            windows.take(db, f"delegated:key:{key.split('_')[2]}", MIDNIGHT, amount=calls)


def test_an_end_user_named_by_any_other_key_is_ignored(sqlite):
    web = Web(sqlite)
    key = web.register().json["api_key"]
    came = Counter(web.ask(key, headers={"X-End-User": f"user {n} \t"}).status_code for n in range(12))
    assert came == {200: 10, 429: 2}
    assert web.send("GET", "/api/v1/me", key=key, headers={"X-End-User": "alice"}).json["end_user"] is None
