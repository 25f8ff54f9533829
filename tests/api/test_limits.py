"""The limits: how many requests of whom, exact whatever comes at once, what counts, and what an answer states."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.access.keys import key_id
from service.access.quota import DELEGATED_CAP, DELEGATED_TELEMETRY, TELEMETRY_CALLS
from service.api.limits import LIMITS, limiter
from service.api.operations import OPERATION
from service.config import Settings
from service.market.instants import MINUTE
from service.store import keys, quotas
from tests.api.web import MIDNIGHT, NOON, TELEMETRY, Web, looked, rate_headers, refusal_of
from tests.processes import ROOT


class TestTheDailyQuota:
    @pytest.fixture
    def web(self, database) -> Web:
        return Web(database)

    @pytest.mark.slow
    @pytest.mark.parametrize("calls", [50, 100])
    def test_of_a_burst_exactly_ten_calls_pass(self, web, calls, tries):
        for number in range(tries(1, 5, 100)):
            assert web.burst(web.granted(f"{number}@example.com"), calls) == {200: 10, 429: calls - 10}

    def test_it_resets_at_midnight_utc_to_the_second(self, web, key):
        web.now = MIDNIGHT - 0.001
        assert web.statuses(key, 11) == {200: 10, 429: 1}
        web.now = MIDNIGHT
        assert web.statuses(key, 11) == {200: 10, 429: 1}


class TestTelemetry:
    """Public documents are counted per address, and per end user where a delegating key names one."""

    def test_an_address_has_exactly_120_requests_a_minute(self, web):
        assert looked(web, 125) == {200: 120, 429: 5}
        assert looked(web, 1, address="203.0.113.8") == {200: 1}
        web.now += MINUTE
        assert looked(web, 125) == {200: 120, 429: 5}

    def test_of_a_burst_exactly_120_pass(self, web):
        with ThreadPoolExecutor(32) as threads:
            came = Counter(threads.map(lambda _: web.send("GET", TELEMETRY).status_code, range(160)))
        assert came == {200: 120, 429: 40}

    def test_a_forwarded_address_is_ignored_without_a_proxy(self, web):
        came = sum((looked(web, 1, headers={"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(125)), Counter())
        assert came == {200: 120, 429: 5}

    def test_behind_a_proxy_the_address_that_it_saw_counts(self, sqlite):
        """A forged forwarded address changes nothing."""
        web = Web(sqlite, Settings(trusted_proxies=1))
        proxies = [{"X-Forwarded-For": f"192.0.2.{n}, 198.51.100.1"} for n in range(125)]
        assert sum((looked(web, 1, headers=headers) for headers in proxies), Counter()) == {200: 120, 429: 5}
        assert looked(web, 1, headers={"X-Forwarded-For": "198.51.100.2"}) == {200: 1}

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

    def test_a_paid_key_has_a_limit_of_its_own(self, web):
        """Whatever comes from its address; a free key has none, or ten of them were ten limits."""
        key = web.granted(plan="paid")
        assert looked(web, 121) == looked(web, 121, key=key) == {200: 120, 429: 1}
        assert looked(web, 1, key=web.granted("other@example.com")) == {429: 1}

    def test_what_is_for_another_purpose_has_another_limit(self, web):
        """Descriptions, what belongs to a key, and streams are there while telemetry is used up."""
        key = web.granted()
        looked(web, 120)
        paths = ("/docs", "/api/openapi.json", "/api/v1/me", "/api/v1/answers", "/api/v1/events?seconds=1")
        assert [web.send("GET", path, key=key).status_code for path in (*paths, TELEMETRY)] == [*[200] * 5, 429]

    @pytest.mark.parametrize("kind", ["free", "wrong"])
    def test_an_end_user_of_any_other_key_is_its_address(self, web, kind):
        key = web.register().json["api_key"] if kind == "free" else "nonsense"
        came = [looked(web, TELEMETRY_CALLS, key=key, headers={"X-End-User": user}) for user in ("alice", "bob")]
        assert came == [{200: TELEMETRY_CALLS}, {429: TELEMETRY_CALLS}]


class TestADelegatingKey:
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
            assert quotas.open_window(db, f"delegated:key:{key_id(key)}", web.now).hits == 10

    def test_reports_both_limits(self, web, key):
        headers = rate_headers(web.ask(key, headers={"X-End-User": "alice"}))
        assert headers["RateLimit-Policy"] == f'"daily";q=10;w=86400, "delegated";q={DELEGATED_CAP};w=86400'
        assert headers["RateLimit"] == f'"daily";r=9;t=43200, "delegated";r={DELEGATED_CAP - 1};t=43200'

    @pytest.mark.parametrize("user", ["", "x" * 65, "al\tice", "alicé"])
    def test_refuses_an_invalid_end_user(self, web, key, user):
        """Valid are 1 to 64 printable ASCII characters."""
        refusal = web.ask(key, headers={"X-End-User": user})
        assert refusal_of(refusal) == (400, "invalid_request", "X-End-User")

    def use(self, web: Web, key: str, calls: int) -> None:
        with web.database.writing() as db:
            quotas.take_hits(db, f"delegated:key:{key_id(key)}", MIDNIGHT, amount=calls)


def test_an_end_user_named_by_any_other_key_is_ignored(web, key):
    came = Counter(web.ask(key, headers={"X-End-User": f"user {n} \t"}).status_code for n in range(12))
    assert came == {200: 10, 429: 2}
    assert web.send("GET", "/api/v1/me", key=key, headers={"X-End-User": "alice"}).json["end_user"] is None


class TestWhatCounts:
    @pytest.mark.parametrize(("wish", "status"), [("a refusal", 400), ("no voters", 503), ("a fault", 500)])
    def test_an_answer_from_400_on_does_not_count(self, web, key, wish, status):
        refusal = web.ask(key, wish)
        assert (refusal.status_code, refusal.headers["X-RateLimit-Remaining"]) == (status, "10")
        assert web.statuses(key, 11) == {200: 10, 429: 1}

    def test_an_address_that_mistypes_loses_nothing(self, web):
        for _ in range(20):
            assert web.register("nobody").status_code == 400
        assert web.register().status_code == 200

    def test_a_plan_granted_at_noon_keeps_the_use_of_the_morning(self, web, key):
        """Of its own key alone."""
        web.statuses(key, 10)
        assert web.statuses(web.register("another@example.com").json["api_key"], 11) == {200: 10, 429: 1}
        with web.database.writing() as db:
            keys.grant_plan(db, key_id(key), "paid")
        assert web.statuses(key, 91) == {200: 90, 429: 1}


def test_every_answer_states_the_quota(web, key):
    """Replays, refusals of the body, a wrong key and a used up quota included."""
    headers = {"Idempotency-Key": "once"}
    answers = [
        *(web.ask(key, headers=headers) for _ in range(2)),
        web.ask(key, "a refusal"),
        *(web.send("POST", "/ask", key=key, data=b"{", content_type=media) for media in ("application/json", "a/b")),
    ]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["9"] * 5
    web.statuses(key, 9)
    assert web.ask(key).headers["X-RateLimit-Remaining"] == "0"
    for path, name in ((f"{TELEMETRY}?x=1", "telemetry"), ("/api/v1/me", "own-data")):
        answer = web.send("GET", path)
        assert answer.status_code in (400, 401)
        assert answer.headers["RateLimit"] == f'"{name}";r=120;t=60'


class TestFlaskLimiter:
    def test_every_view_with_a_limit_is_registered(self, sqlite):
        """The extension knows the limits of exactly those views that declare one, and of the script of the docs."""
        app = Web(sqlite).app
        scripts = {"docs.script": "descriptions", "embed.script": "telemetry"}
        declarations, registrations = {name: LIMITS[limit].limits for name, limit in scripts.items()}, {}
        for endpoint, view in app.view_functions.items():
            operation = getattr(view, OPERATION, None)
            if operation and operation.limit:
                declarations[endpoint] = LIMITS[operation.limit].limits
            _, limits = limiter.limit_manager.resolve_limits(app, endpoint, endpoint.rpartition(".")[0])
            if limits:
                registrations[endpoint] = limits
        assert registrations == {endpoint: [*itertools.chain(*limits)] for endpoint, limits in declarations.items()}

    @pytest.mark.slow
    def test_its_command_lists_every_limit(self, tmp_path):
        """As an operator runs it, in the folder of the repository."""
        command = [sys.executable, "-m", "flask", "--app", "app", "limiter", "limits"]
        environment = os.environ | {"DATA_DIR": str(tmp_path), "COLUMNS": "160"}
        output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
        limits: dict[str, list[str]] = {}
        calls: list[str] = []
        for row in (line.strip(" │├└─") for line in output.splitlines()):
            if " per " in row:
                calls.append(row.partition(" {")[0])
            else:
                calls = limits.setdefault(row.partition(":")[0], [])
        assert limits["prices.current"] == ["120 per 1 minute", "600 per 1 minute", "1200 per 1 minute"]
        assert limits["keys.register"] == ["10 per 1 day", "50 per 1 day"]
        assert limits["predictions.vote"] == ["60 per 1 hour", "300 per 1 hour"]
        minutes = ["60 per 1 minute", "300 per 1 minute"]
        assert limits["challenges.create"] == [*minutes, "3 per 1 day", "15 per 1 day"]
        assert limits["oracle.ask"] == [*minutes, "10 per 1 day", "100 per 1 day", f"{DELEGATED_CAP} per 1 day"]
        assert limits["health.alive"] == []


def limit_headers(remaining: int) -> dict[str, str]:
    """The headers of an answer at noon that leaves so many calls of the day."""
    policies = {"RateLimit-Policy": '"daily";q=10;w=86400', "RateLimit": f'"daily";r={remaining};t=43200'}
    counts = {"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": str(remaining), "X-RateLimit-Reset": str(MIDNIGHT)}
    return policies | counts


class TestWhatIsTold:
    def test_a_counted_answer_reports_the_remaining_quota(self, web, key):
        assert rate_headers(web.ask(key)) == limit_headers(9)

    def test_a_refusal_has_the_time_to_retry_in_headers_and_body(self, web, key):
        web.statuses(key, 10)
        refusal = web.ask(key)
        assert refusal.content_type == "application/problem+json"
        assert rate_headers(refusal) == limit_headers(0) | {"Retry-After": "43200"}
        names = ("code", "limit", "remaining", "reset_at", "retry_after_s")
        fields = ["quota_exhausted", 10, 0, "2026-11-22T00:00:00Z", 43200]
        assert [refusal.json[name] for name in names] == fields

    def test_too_many_in_a_minute_is_another_code(self, web):
        looked(web, 120)
        refusal = web.send("GET", TELEMETRY)
        assert (refusal.json["code"], refusal.headers["Retry-After"]) == ("rate_limited", "60")
        assert refusal.headers["RateLimit-Policy"] == '"telemetry";q=120;w=60'

    def test_a_caller_is_admitted_after_retry_after(self, web, key):
        web.now = NOON + 0.7
        web.statuses(key, 10)
        web.now += int(web.ask(key).headers["Retry-After"])
        assert web.ask(key).status_code == 200

    def test_an_unlimited_answer_has_no_limit_headers(self, web):
        assert rate_headers(web.send("GET", "/healthz")) == {}
