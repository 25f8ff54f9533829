"""A request is charged before the work; only what was answered counts, and the headers state what is left."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.access.quota import DELEGATED_CAP
from service.api.charging import limiter
from service.api.limits import LIMITS
from service.api.operations import OPERATION
from service.market.instants import DAY
from service.store import keys
from tests.api.web import MIDNIGHT, TELEMETRY, Web

ROOT = Path(__file__).parents[2]


@pytest.fixture
def web(sqlite) -> Web:
    return Web(sqlite)


@pytest.fixture
def key(web) -> str:
    return web.register().json["api_key"]


class TestWhatCounts:
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

    def test_a_fault_after_midnight_gives_the_new_day_nothing(self, web, key):
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

    def test_a_plan_granted_at_noon_keeps_the_use_of_the_morning(self, web, key):
        web.statuses(key, 10)
        with web.database.writing() as db:
            keys.grant(db, key.split("_")[2], "paid")
        assert web.statuses(key, 91) == {200: 90, 429: 1}


class TestTheHeaders:
    def test_every_answer_states_the_quota(self, web, key):
        """Refusals, replays, a wrong key and a used up quota included."""
        once = {"Idempotency-Key": "once"}
        answers = [
            web.ask(key, headers=once),
            web.ask(key, headers=once),
            web.ask(key, "a refusal"),
            web.send("POST", "/ask", key=key, data=b"{", content_type="application/json"),
            web.send("POST", "/ask", key=key, data=b"{}", content_type="text/plain"),
        ]
        assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["9"] * 5
        web.statuses(key, 9)
        assert web.ask(key).headers["X-RateLimit-Remaining"] == "0"

    def test_a_refusal_of_public_telemetry_states_its_limit(self, web):
        for answer in (web.send("GET", f"{TELEMETRY}?x=1"), web.send("GET", "/api/v1/me")):
            assert answer.status_code in (400, 401)
            assert answer.headers["RateLimit"] == '"telemetry";r=120;t=60'


class TestFlaskLimiter:
    def test_every_view_with_a_limit_is_registered(self, sqlite):
        """The extension knows the limits of exactly those views that declare one, and of the script of the docs."""
        app = Web(sqlite).app
        scripts = ("docs.script", "embed.script")
        declared, registered = dict.fromkeys(scripts, LIMITS["telemetry"].limits), {}
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
        assert by_view["prices.current"] == ["120 per 1 minute", "600 per 1 minute", "1200 per 1 minute"]
        assert by_view["keys.register"] == ["10 per 1 day", "50 per 1 day"]
        assert by_view["challenges.vote"] == ["60 per 1 hour", "300 per 1 hour"]
        assert by_view["challenges.create"] == ["60 per 1 minute", "300 per 1 minute", "3 per 1 day", "15 per 1 day"]
        assert by_view["oracle.ask"] == [
            "60 per 1 minute",
            "300 per 1 minute",
            "10 per 1 day",
            "100 per 1 day",
            f"{DELEGATED_CAP} per 1 day",
        ]
        assert by_view["health.alive"] == []
