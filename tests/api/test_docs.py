"""The documentation lists what is there, all of it, and needs no network."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from service.api.errors import HTTP

DOCUMENTS = ["/api/v1/docs", "/api/openapi-lite.json", "/api/v1/openapi-lite.json", "/api/openapi.json", "/docs"]


def test_the_specified_paths_and_the_security_scheme_are_there(client: FlaskClient):
    document = client.get("/api/openapi.json").json
    assert {"/api/v1/register", "/api/v1/docs", "/api/openapi-lite.json"} <= set(document["paths"])
    assert document["components"]["securitySchemes"] == {
        "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    }
    assert document["paths"]["/api/v1/register"]["post"]["security"] == []
    assert document["paths"]["/api/v1/me"]["get"]["security"] == [{"ApiKey": []}]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_documentation_is_served_like_any_public_document(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["X-RateLimit-Limit"] == "120"
    unchanged = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status_code, unchanged.headers["X-RateLimit-Remaining"]) == (304, "118")


def test_the_page_loads_its_own_script_and_nothing_else(client: FlaskClient):
    page = client.get("/docs")
    assert not re.search(r"(src|href|url)\s*[=(]\s*[\"']?(https?:)?//", page.text)
    assert 'load-fonts="false"' in page.text
    policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())
    (script,) = re.findall(r'<script[^>]* src="([^"]+)"', page.text)
    answer = client.get(script)
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")


def test_the_front_door_leads_to_the_page(client: FlaskClient):
    assert (client.get("/").status_code, client.get("/").headers["Location"]) == (302, "/docs")


def listed(paths: dict) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def test_each_document_reports_the_version_of_the_specification(client: FlaskClient):
    assert client.get("/api/v1/docs").json["version"] == "1.0"
    for path in ("/api/openapi-lite.json", "/api/openapi.json"):
        assert client.get(path).json["info"]["version"] == "1.2.0"
        assert client.get(path).json["openapi"].startswith("3.1.")


def test_the_alias_is_the_same_bytes(client: FlaskClient):
    assert client.get("/api/openapi-lite.json").data == client.get("/api/v1/openapi-lite.json").data


def test_all_three_documents_list_the_same_working_operations(client: FlaskClient):
    """Every operation that they list answers."""
    full = listed(client.get("/api/openapi.json").json["paths"])
    assert listed(client.get("/api/openapi-lite.json").json["paths"]) == full
    rows = client.get("/api/v1/docs").json["endpoints"]
    assert {(row["method"], row["path"]) for row in rows} == full
    for method, path in full:
        answer = client.open(re.sub("{.+?}", "1", path), method=method)
        assert answer.status_code not in (405, 500)
        assert answer.status_code != 404 or answer.json["detail"] != HTTP[404][1]
