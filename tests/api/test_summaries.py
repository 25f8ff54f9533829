"""The two short descriptions list the same operations as the OpenAPI document."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from service.api.errors import HTTP


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
