"""The documentation lists what is there, all of it, and needs no network."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from service.api.errors import HTTP

DOCUMENTS = ["/api/v1/docs", "/api/openapi-lite.json", "/api/v1/openapi-lite.json", "/api/openapi.json", "/docs"]


def test_the_specified_paths_and_the_security_scheme_are_there(client: FlaskClient):
    document, lite = (client.get(f"/api/{name}.json") for name in ("openapi", "openapi-lite"))
    assert lite.data == client.get("/api/v1/openapi-lite.json").data
    for text in (document.json, lite.json):
        assert (text["info"]["version"], text["openapi"][:4]) == ("1.2.0", "3.1.")
    assert client.get("/api/v1/docs").json["version"] == "1.0"
    paths, components = document.json["paths"], document.json["components"]
    assert {"/api/v1/register", "/api/v1/docs", "/api/openapi-lite.json"} <= set(paths)
    assert components["securitySchemes"] == {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}}
    assert paths["/api/v1/register"]["post"]["security"] == []
    assert paths["/api/v1/me"]["get"]["security"] == [{"ApiKey": []}]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_documentation_is_served_like_any_public_document(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["X-RateLimit-Limit"] == "120"
    revalidation = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (revalidation.status_code, revalidation.headers["X-RateLimit-Remaining"]) == (304, "118")


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


def test_the_index_leads_to_addresses_that_are_there(client: FlaskClient):
    """Each answers something else than 404; to some of them one posts, and some wait for the first run."""
    index = client.get("/api/v1").json
    assert (index["name"], index["version"]) == ("Ninefold", "1.2.0")
    statuses = {path: client.get(path, query_string="limit=1").status_code for path in index["links"].values()}
    assert 404 not in statuses.values(), statuses


def test_what_is_deprecated_says_so_and_where_the_policy_is(client: FlaskClient):
    """By the header of RFC 9745."""
    answer = client.get("/api/v1/docs")
    assert answer.headers["Deprecation"] == f"@{int(datetime(2026, 11, 28, tzinfo=UTC).timestamp())}"
    assert answer.headers["Link"] == '</docs/policy>; rel="deprecation"'
    assert "Deprecation" not in client.get("/api/openapi.json").headers


def listed(paths: dict) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def test_all_three_documents_list_the_same_working_operations(client: FlaskClient):
    """Every operation that they list answers."""
    operations = listed(client.get("/api/openapi.json").json["paths"])
    assert listed(client.get("/api/openapi-lite.json").json["paths"]) == operations
    rows = client.get("/api/v1/docs").json["endpoints"]
    assert {(row["method"], row["path"]) for row in rows} == operations
    for method, path in operations:
        answer = client.open(re.sub("{.+?}", "1", path), method=method)
        assert answer.status_code not in (405, 500)
        assert answer.status_code != 404 or answer.json["detail"] != HTTP[404][1]
