"""The daily quota: exact whatever comes at once, and only what was answered counts."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from service.access.quota import DELEGATED_CAP
from service.api.limits import LIMITS, limiter
from service.api.operations import OPERATION
from service.market.instants import DAY
from service.store import keys, windows
from tests.api.web import MIDNIGHT, Web, rate_headers

ROOT = Path(__file__).parents[2]


@pytest.fixture
def web(database) -> Web:
    return Web(database)


@pytest.fixture
def key(web) -> str:
    return web.register().json["api_key"]


class TestTheDailyQuota:
    @pytest.mark.parametrize("calls", [50, 100])
    def test_of_a_burst_exactly_ten_calls_pass(self, web, key, calls):
        assert web.burst(key, calls) == {200: 10, 429: calls - 10}

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


class TestWhatCounts:
    @pytest.fixture
    def web(self, sqlite) -> Web:
        return Web(sqlite)

    @pytest.mark.parametrize(("want", "status"), [("a refusal", 400), ("no voters", 503), ("a fault", 500)])
    def test_an_answer_from_400_on_does_not_count(self, web, key, want, status):
        refused = web.ask(key, want)
        assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (status, "10")
        assert web.statuses(key, 11) == {200: 10, 429: 1}

    def test_a_call_that_cannot_be_read_does_not_count(self, web, key):
        assert web.send("POST", "/ask", key=key, data=b"{", content_type="application/json").status_code == 400
        assert web.statuses(key, 11) == {200: 10, 429: 1}

    def test_a_call_is_refunded_only_once(self, web, key):
        web.statuses(key, 5)
        web.ask(key, "to give back twice")
        assert web.statuses(key, 6) == {200: 5, 429: 1}

    def test_calls_beyond_it_do_not_weigh_on_the_next_day(self, web, key):
        web.statuses(key, 30)
        web.now += DAY
        assert web.statuses(key, 10) == {200: 10}

    def test_a_fault_that_ends_after_midnight_gives_the_new_day_nothing(self, web, key):
        web.now = MIDNIGHT - 1
        assert web.statuses(key, 2) == {200: 2}
        assert web.ask(key, "a fault after midnight").status_code == 500
        assert web.statuses(key, 11) == {200: 10, 429: 1}

    def test_a_retry_under_the_same_idempotency_key_is_free(self, web, key):
        assert web.statuses(key, 30, headers={"Idempotency-Key": "once"}) == {200: 30}
        assert web.statuses(key, 10) == {200: 9, 429: 1}

    def test_every_key_has_its_own(self, web, key):
        another = web.register("another@example.com").json["api_key"]
        web.statuses(key, 11)
        assert web.statuses(another, 11) == {200: 10, 429: 1}

    def test_a_plan_granted_at_noon_keeps_what_was_used_in_the_morning(self, web, key):
        web.statuses(key, 10)
        with web.database.writing() as db:
            keys.grant(db, key.split("_")[2], "paid")
        assert web.statuses(key, 91) == {200: 90, 429: 1}


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


class TestFlaskLimiter:
    def test_every_view_with_a_limit_is_registered(self, sqlite):
        """The extension knows the limits of exactly those views that declare one, and of the script of the docs."""
        app = Web(sqlite).app
        declared, registered = {"docs.script": LIMITS["telemetry"].limits}, {}
        for endpoint, view in app.view_functions.items():
            operation = getattr(view, OPERATION, None)
            if operation and operation.limit:
                declared[endpoint] = LIMITS[operation.limit].limits
            _, limits = limiter.limit_manager.resolve_limits(app, endpoint, endpoint.rpartition(".")[0])
            if limits:
                registered[endpoint] = limits
        assert registered == {endpoint: [*itertools.chain(*limits)] for endpoint, limits in declared.items()}

    @pytest.mark.slow
    def test_its_command_lists_every_limit(self, tmp_path):
        """As an operator runs it, in the folder of the repository."""
        command = [sys.executable, "-m", "flask", "--app", "app", "limiter", "limits"]
        environment = os.environ | {"DATA_DIR": str(tmp_path), "COLUMNS": "160"}
        output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
        rows = [line.strip(" │├└─") for line in output.splitlines()]
        by_view: dict[str, list[str]] = {}
        view = ""
        for row in rows:
            view, calls = (view, row.partition(" {")[0]) if " per " in row else (row.partition(":")[0], None)
            by_view.setdefault(view, []).extend([calls] if calls else [])
        assert by_view["prices.current"] == ["120 per 1 minute"]
        assert by_view["keys.register"] == ["10 per 1 day"]
        assert by_view["challenges.vote"] == ["60 per 1 hour"]
        assert by_view["challenges.create"] == ["3 per 1 day"]
        assert by_view["oracle.ask"] == ["10 per 1 day", "100 per 1 day", f"{DELEGATED_CAP} per 1 day"]
        assert by_view["health.alive"] == []
