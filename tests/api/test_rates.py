"""Limits per address, and what an answer tells about any limit. The database makes no difference here."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.config import Settings
from service.market.instants import DAY, MINUTE
from tests.api.web import MIDNIGHT, NOON, TELEMETRY, Web, looked, rate_headers


class TestTelemetry:
    def test_an_address_has_exactly_120_requests_a_minute(self, web):
        assert looked(web, 125) == {200: 120, 429: 5}
        web.now += MINUTE
        assert looked(web, 125) == {200: 120, 429: 5}

    def test_of_a_burst_exactly_120_pass(self, web):
        with ThreadPoolExecutor(32) as threads:
            came = Counter(threads.map(lambda _: web.send("GET", TELEMETRY).status_code, range(160)))
        assert came == {200: 120, 429: 40}

    def test_every_address_has_its_own(self, web):
        looked(web, 121)
        assert looked(web, 1, address="203.0.113.8") == {200: 1}

    @pytest.mark.slow
    def test_an_ipv6_network_of_64_bits_is_one_address(self, web):
        assert sum((looked(web, 1, address=f"2001:db8::{n:x}") for n in range(121)), Counter()) == {200: 120, 429: 1}
        assert looked(web, 1, address="2001:db8:0:1::1") == {200: 1}

    def test_a_forwarded_address_is_ignored_without_a_proxy(self, web):
        came = sum((looked(web, 1, headers={"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(125)), Counter())
        assert came == {200: 120, 429: 5}

    def test_behind_a_proxy_the_address_that_it_saw_counts(self, sqlite):
        """A forged forwarded address changes nothing."""
        web = Web(sqlite, Settings(trusted_proxies=1))
        forged = [{"X-Forwarded-For": f"192.0.2.{n}, 198.51.100.1"} for n in range(125)]
        assert sum((looked(web, 1, headers=headers) for headers in forged), Counter()) == {200: 120, 429: 5}
        assert looked(web, 1, headers={"X-Forwarded-For": "198.51.100.2"}) == {200: 1}


class TestRegistration:
    @pytest.mark.slow
    def test_an_address_may_register_ten_keys_a_day(self, web):
        came = [web.register(f"{n}@example.com").status_code for n in range(12)]
        assert came == [200] * 10 + [429] * 2
        assert web.register(address="203.0.113.8").status_code == 200
        web.now += DAY
        assert web.register().status_code == 200

    def test_an_address_that_mistypes_loses_nothing(self, web):
        for _ in range(20):
            assert web.register("nobody").status_code == 400
        assert web.register().status_code == 200


class TestWhatIsTold:
    def test_a_counted_answer_reports_the_remaining_quota(self, web, key):
        assert rate_headers(web.ask(key)) == {
            "RateLimit-Policy": '"daily";q=10;w=86400',
            "RateLimit": '"daily";r=9;t=43200',
            "X-RateLimit-Limit": "10",
            "X-RateLimit-Remaining": "9",
            "X-RateLimit-Reset": str(MIDNIGHT),
        }

    def test_a_refusal_has_the_time_to_retry_in_headers_and_body(self, web, key):
        web.statuses(key, 10)
        refused = web.ask(key)
        assert refused.content_type == "application/problem+json"
        assert rate_headers(refused) == {
            "RateLimit-Policy": '"daily";q=10;w=86400',
            "RateLimit": '"daily";r=0;t=43200',
            "X-RateLimit-Limit": "10",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": str(MIDNIGHT),
            "Retry-After": "43200",
        }
        assert {name: refused.json[name] for name in ("code", "limit", "remaining", "reset_at", "retry_after_s")} == {
            "code": "quota_exhausted",
            "limit": 10,
            "remaining": 0,
            "reset_at": "2026-11-22T00:00:00Z",
            "retry_after_s": 43200,
        }

    def test_too_many_in_a_minute_is_another_code(self, web):
        looked(web, 120)
        refused = web.send("GET", TELEMETRY)
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("rate_limited", "60")
        assert refused.headers["RateLimit-Policy"] == '"telemetry";q=120;w=60'

    def test_a_caller_is_admitted_after_retry_after(self, web, key):
        web.now = NOON + 0.7
        web.statuses(key, 10)
        web.now += int(web.ask(key).headers["Retry-After"])
        assert web.ask(key).status_code == 200

    def test_an_unlimited_answer_has_no_limit_headers(self, web):
        assert rate_headers(web.send("GET", "/healthz")) == {}
