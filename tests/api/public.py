"""What holds for every public document that a job makes."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient
from pydantic import TypeAdapter

from tests.api.conftest import NOON


def hold(
    client: FlaskClient, publish: Callable[..., None], as_described: Callable, path: str, name: str, document: object
) -> dict:
    """It is unavailable until it was made, then served as it was made to everybody, and may be kept for a while.

    Returns what was served.
    """
    refused = client.get(path)
    assert (refused.status_code, refused.json["code"]) == (503, "unavailable")
    publish(name, NOON, document)
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.json == TypeAdapter(type(document)).dump_python(document, mode="json")
    assert list(answer.json)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    as_described(path, answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=30, stale-while-revalidate=30"
    assert answer.headers["X-RateLimit-Limit"] == "120"
    unchanged = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    return answer.json
