"""The headers of every answer: the id of its request, and what a browser may do with it."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient


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
