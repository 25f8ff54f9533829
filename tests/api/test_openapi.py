"""The OpenAPI document is valid and says what the service does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from flask import Blueprint, Flask
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import validate
from pydantic import Field

from service.api import docs
from service.api.inputs import Body, Query
from service.api.operations import operation
from service.errors import NotFound, Unavailable

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sighting:
    """A price and when it was seen."""

    asset: str
    price: float | None
    seen_at: datetime
    note: str = ""


class Wanted(Query):
    asset: str = Field(description="which asset")
    depth: int = Field(1, ge=1, le=9)


class Alarm(Body):
    above: float = Field(gt=0, examples=[100_000.0])


@pytest.fixture
def app(make_app, sqlite) -> Flask:
    """The application with a room full of every kind of operation."""
    room = Blueprint("room", __name__)

    @room.get("/api/v1/seen/<asset>")
    @operation(tag="Room", limit="telemetry", raises=(NotFound, Unavailable))
    def seen(asset: str, query: Wanted) -> Sighting:
        """The price that was seen.

        Twice, if need be.
        """
        return Sighting(query.asset + asset, float("nan"), NEW_YEAR)

    @room.post("/api/v1/alarm")
    @operation(
        tag="Room",
        limit="daily",
        key="required",
        retryable=True,
        also={"text/event-stream": "each as it comes"},
        example=Sighting("btc", None, NEW_YEAR),
    )
    def alarm(body: Alarm) -> Sighting:
        """Sound an alarm."""
        return Sighting("btc", body.above, NEW_YEAR)

    app = make_app(sqlite)
    app.register_blueprint(room)
    docs.prepare(app)
    return app


@pytest.fixture
def told(client) -> dict:
    return client.get("/api/openapi.json").json


def operations(told: dict) -> Iterator[tuple[str, dict]]:
    for path, methods in told["paths"].items():
        for method, one in methods.items():
            yield f"{method} {path}", one


def schema_errors(told: dict, schema: dict, value: object) -> list[str]:
    """What is wrong with `value` by a schema of the document."""
    rooted = {**schema, "components": told["components"]}
    return [error.message for error in Draft202012Validator(rooted, format_checker=FormatChecker()).iter_errors(value)]


def test_it_is_openapi_3_1(client, told):
    validate(told)
    validate(client.get("/api/openapi-lite.json").json)


def test_every_operation_has_an_id_of_its_own_a_sentence_and_a_shape(told):
    ids = [one["operationId"] for _, one in operations(told)]
    assert len(ids) == len(set(ids))
    for name, one in operations(told):
        assert one["summary"].endswith("."), name
        (success,) = [answer for status, answer in one["responses"].items() if status.startswith("2")]
        assert "content" in success or "204" in one["responses"], name


def test_an_example_of_an_answer_is_written_as_the_answer_would_be(told):
    alarm = told["paths"]["/api/v1/alarm"]["post"]["responses"]["200"]["content"]
    assert alarm["application/json"]["examples"]["answer"]["value"] == {
        "asset": "btc",
        "price": None,
        "seen_at": "2026-01-01T00:00:00Z",
        "note": "",
    }
    assert alarm["text/event-stream"]["schema"] == {"type": "string", "description": "each as it comes"}


def test_every_example_is_what_its_schema_says(told):
    checked = 0
    for name, one in operations(told):
        bodies = [one["requestBody"]] if "requestBody" in one else []
        for content in [*bodies, *one["responses"].values()]:
            for media in content.get("content", {}).values():
                for example in media.get("examples", {}).values():
                    assert schema_errors(told, media["schema"], example["value"]) == [], name
                    checked += 1
    assert checked > 20


def test_every_operation_tells_how_it_refuses(told):
    alarm = told["paths"]["/api/v1/alarm"]["post"]["responses"]
    assert set(alarm) == {"200", "400", "401", "409", "413", "415", "422", "429", "500", "503"}
    assert set(alarm["401"]["content"]["application/problem+json"]["examples"]) == {
        "missing_api_key",
        "invalid_api_key",
    }
    assert set(alarm["429"]["content"]["application/problem+json"]["examples"]) == {"quota_exhausted"}
    assert "Retry-After" in alarm["429"]["headers"]
    seen = told["paths"]["/api/v1/seen/{asset}"]["get"]["responses"]
    assert set(seen) == {"200", "400", "404", "429", "500", "503"}
    assert "RateLimit" in seen["200"]["headers"]


def test_parameters_are_those_of_path_query_and_headers(told):
    seen = {(one["in"], one["name"]): one for one in told["paths"]["/api/v1/seen/{asset}"]["get"]["parameters"]}
    assert set(seen) == {("path", "asset"), ("query", "asset"), ("query", "depth")}
    assert [one["required"] for one in seen.values()] == [True, True, False]
    assert seen["query", "depth"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    alarm = {one["name"] for one in told["paths"]["/api/v1/alarm"]["post"]["parameters"]}
    assert alarm == {"Idempotency-Key", "X-End-User"}


def test_what_may_be_left_out_of_a_query_is_never_said_to_be_null(told):
    (asset,) = [one for one in told["paths"]["/api/v1/leaderboard"]["get"]["parameters"] if one["in"] == "query"]
    assert asset == {
        "name": "asset",
        "in": "query",
        "required": False,
        "description": "rank the accounts in this asset alone",
        "schema": {"type": "string", "enum": ["btc", "eth", "sol", "bnb", "gold", "silver"]},
    }


def test_shapes_that_share_a_name_are_told_apart_by_the_file_they_are_in(told):
    schemas = told["components"]["schemas"]
    assert {"BattleSummary", "HospitalSummary", "LeaderboardEntry", "TriageEntry"} <= schemas.keys()
    assert [name for name in schemas if not name.isalnum()] == []


def test_an_answer_is_the_dataclass_with_every_field_and_null_for_what_is_not_a_number(client, told):
    answer = client.get("/api/v1/seen/x?asset=b")
    assert answer.json == {"asset": "bx", "price": None, "seen_at": "2026-01-01T00:00:00Z", "note": ""}
    schema = told["paths"]["/api/v1/seen/{asset}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema_errors(told, schema, answer.json) == []
    assert set(told["components"]["schemas"]["Sighting"]["required"]) == set(answer.json)
    assert told["components"]["schemas"]["Sighting"]["description"] == "A price and when it was seen."


def test_what_is_sent_is_described_as_strictly_as_it_is_read(told):
    alarm = told["components"]["schemas"]["Alarm"]
    assert alarm["additionalProperties"] is False
    assert schema_errors(told, alarm, {"above": 0}) != []
    assert schema_errors(told, alarm, {"above": alarm["properties"]["above"]["examples"][0]}) == []


def test_bad_input_costs_nothing_and_a_good_answer_one(client, api_key):
    headers = {"X-API-Key": api_key}
    for body in ({}, {"above": -1}, {"above": "1"}):
        refused = client.post("/api/v1/alarm", json=body, headers=headers)
        assert (refused.status_code, "X-RateLimit-Remaining" in refused.headers) == (400, False)
    assert client.post("/api/v1/alarm", json={"above": 1.5}, headers=headers).headers["X-RateLimit-Remaining"] == "9"
