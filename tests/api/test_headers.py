"""The headers of every answer: the id of its request, and what a browser may do with it."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from service.access.quota import TELEMETRY_CALLS
from tests.api.web import TELEMETRY

PAGE = {"Origin": "https://blog.example"}
PREFLIGHT = PAGE | {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "x-api-key, content-type",
}


@pytest.mark.parametrize("sent", ["a", "Abc-9_z.1", "x" * 64])
def test_a_plain_request_id_comes_back_in_header_and_problem(client: FlaskClient, sent: str):
    answer = client.get("/api/nothing", headers={"X-Request-ID": sent})
    assert answer.headers["X-Request-ID"] == answer.json["request_id"] == sent


@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "<script>", "ä", "a;b"])
def test_any_other_request_id_is_replaced(client: FlaskClient, sent: str):
    answer = client.get("/api/nothing", headers={"X-Request-ID": sent})
    assert answer.headers["X-Request-ID"] == answer.json["request_id"] != sent


@pytest.mark.parametrize("path", ["/healthz", "/api/nothing", "/docs", "/"])
def test_every_answer_has_the_security_headers(client: FlaskClient, path: str):
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert len(headers.getlist("Content-Security-Policy")) == len(headers.getlist("Cache-Control")) == 1


def test_a_private_answer_is_not_cacheable(client: FlaskClient, api_key: str):
    assert client.get("/api/v1/me", headers={"X-API-Key": api_key}).headers["Cache-Control"] == "no-store"
    assert client.get("/api/nothing").headers["Cache-Control"] == "no-store"


class TestFromAnotherOrigin:
    def test_a_page_may_read_every_answer_of_the_api(self, client: FlaskClient, api_key: str):
        """Refusals included; never with the cookies of a browser, because nothing here is kept in one."""
        for rule in client.application.url_map.iter_rules():
            answer = client.get(rule.rule, headers=PAGE | {"X-API-Key": api_key})
            origins = answer.headers.getlist("Access-Control-Allow-Origin")
            assert origins == (["*"] if rule.rule.startswith("/api/") else []), rule.rule
            assert "Access-Control-Allow-Credentials" not in answer.headers

    def test_a_page_may_read_its_quota_and_the_etag(self, client: FlaskClient):
        for _ in range(TELEMETRY_CALLS + 1):
            answer = client.get(TELEMETRY, headers=PAGE)
        exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (429, "*")
        assert {name for name in answer.headers if "Rate" in name or name == "Retry-After"} <= exposed
        assert {"ETag", "Link", "X-Request-ID"} <= exposed

    def test_an_unchanged_document_is_readable_too(self, client: FlaskClient):
        tag = client.get(TELEMETRY, headers=PAGE).headers["ETag"]
        unchanged = client.get(TELEMETRY, headers=PAGE | {"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.headers["Access-Control-Allow-Origin"]) == (304, "*")

    @pytest.mark.parametrize("path", ["/api/v1/oracle", "/api/v1/me", "/api/v1/webhooks/x", "/api/nothing"])
    def test_a_preflight_is_allowed_for_a_day_and_free(self, client: FlaskClient, path: str):
        answer = client.options(path, headers=PREFLIGHT)
        assert (answer.status_code, answer.data) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == answer.headers["Access-Control-Allow-Headers"] == "*"
        assert {"GET", "POST", "PATCH", "DELETE"} <= set(answer.headers["Access-Control-Allow-Methods"].split(", "))
        assert answer.headers["Access-Control-Max-Age"] == "86400"
        assert "X-RateLimit-Limit" not in answer.headers
