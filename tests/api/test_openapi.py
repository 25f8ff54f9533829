"""The OpenAPI document is valid and says what the service does."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Blueprint, Flask
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import validate
from pydantic import Field

from service.api import openapi
from service.api.inputs import Body, Query
from service.api.openapi_texts import QUESTION_FORMS
from service.api.operations import operation
from service.errors import ResourceNotFound, ServiceUnavailable
from service.market.assets import ASSETS
from service.questions import Circumstances, understand
from tests.questions.asking import HISTORY, NOW, SPOTS

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


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
    @operation(tag="Room", limit="telemetry", raises=(ResourceNotFound, ServiceUnavailable))
    def seen(asset: str, query: Wanted) -> Sighting:
        """The price that was seen.

        Twice, if need be.
        """
        return Sighting(query.asset + asset, float("nan"), NEW_YEAR)

    @room.post("/api/v1/alarm")
    @operation(tag="Room", limit="daily", key="required", alternatives={"text/event-stream": "each as it comes"})
    def alarm(body: Alarm) -> Sighting:
        """Sound an alarm."""
        return Sighting("btc", body.above, NEW_YEAR)

    app = make_app(sqlite)
    app.register_blueprint(room)
    return app


@pytest.fixture(scope="module")
def kept_openapi() -> dict:
    """That of the application with the operations above."""
    return {}


@pytest.fixture
def document(openapi_document) -> dict:
    return openapi_document


def operations(document: dict) -> Iterator[tuple[str, dict]]:
    for path, methods in document["paths"].items():
        for method, spec in methods.items():
            yield f"{method} {path}", spec


def schema_errors(document: dict, schema: dict, value: object) -> list[str]:
    """What is wrong with `value` by a schema of the document."""
    schema = schema | {"components": document["components"]}
    errors = Draft202012Validator(schema, format_checker=FormatChecker()).iter_errors(value)
    return [error.message for error in errors]


def test_it_is_openapi_3_1(client, document):
    assert document["openapi"].startswith("3.1.")
    validate(document)
    validate(client.get("/api/openapi-lite.json").json)


def test_every_operation_is_described(document):
    """An id of its own, a sentence, a shape, the link of a list, a sample in each language; one is deprecated."""
    ids = [spec["operationId"] for _, spec in operations(document)]
    assert len(ids) == len(set(ids))
    assert {file.stem for file in openapi.EXAMPLES.iterdir()} <= set(ids)  # a renamed operation would lose its answer
    for name, spec in operations(document):
        assert spec["summary"].endswith("."), name
        (success,) = [answer for status, answer in spec["responses"].items() if status.startswith("2")]
        assert "content" in success or "204" in spec["responses"], name
        assert ("Link" in success["headers"]) == ("limit" in [row["name"] for row in spec["parameters"]]), name
        assert [sample["label"] for sample in spec["x-codeSamples"]] == ["curl", "Python", "JavaScript"], name
    assert [name for name, spec in operations(document) if spec.get("deprecated")] == ["get /api/v1/docs"]
    seen = document["paths"]["/api/v1/seen/{asset}"]["get"]
    assert (seen["summary"], seen["description"]) == ("The price that was seen.", "Twice, if need be.")


@pytest.mark.slow
def test_every_example_matches_its_schema(document):
    example_count = 0
    refusals = {"responses": document["components"]["responses"]}
    for name, spec in [*operations(document), ("refusals", refusals)]:
        bodies = [spec["requestBody"]] if "requestBody" in spec else []
        for content in [*bodies, *spec["responses"].values()]:
            for media in content.get("content", {}).values():
                for example in media.get("examples", {}).values():
                    assert schema_errors(document, media["schema"], example["value"]) == [], name
                    example_count += 1
    assert example_count > 50


def responses_of(document: dict, path: str, method: str) -> dict:
    """The responses of an operation by status, those that are shared in full."""
    shared = document["components"]["responses"]
    responses = document["paths"][path][method]["responses"].items()
    return {status: shared[body["$ref"].rpartition("/")[2]] if "$ref" in body else body for status, body in responses}


def test_every_operation_documents_its_refusals(document):
    alarm = responses_of(document, "/api/v1/alarm", "post")
    assert set(alarm) == {"200", "400", "401", "403", "409", "413", "415", "422", "429", "500", "503"}
    stream = alarm["200"]["content"]["text/event-stream"]
    assert stream["schema"] == {"type": "string", "description": "each as it comes"}
    for status, codes in (("401", {"missing_api_key", "invalid_api_key"}), ("429", {"quota_exhausted"})):
        assert set(alarm[status]["content"]["application/problem+json"]["examples"]) == codes
    assert "Retry-After" in alarm["429"]["headers"]
    responses = responses_of(document, "/api/v1/seen/{asset}", "get")
    assert set(responses) == {"200", "400", "404", "429", "500", "503"}
    assert "RateLimit" in responses["200"]["headers"]


@pytest.mark.parametrize(
    ("method", "path", "reads_prices"),
    [
        *[("post", "/api/v1/oracle", True), ("get", "/api/v1/prices", True)],
        *[("get", "/readyz", True), ("get", "/api/v1/ledger", False)],
    ],
)
def test_history_arriving_is_documented_where_prices_are_read(document, method: str, path: str, reads_prices: bool):
    """A client finds the code at every operation that the first minute of the live world may refuse."""
    refusal = responses_of(document, path, method)["503"]
    examples = refusal["content"]["application/problem+json"]["examples"]
    assert ("history_arriving" in examples) == reads_prices
    assert "Retry-After" in refusal["headers"]


def test_parameters_are_those_of_path_query_and_headers(document):
    listed = document["paths"]["/api/v1/seen/{asset}"]["get"]["parameters"]
    parameters = {(parameter["in"], parameter["name"]): parameter for parameter in listed}
    assert set(parameters) == {("path", "asset"), ("query", "asset"), ("query", "depth")}
    assert [parameter["required"] for parameter in parameters.values()] == [True, True, False]
    assert parameters["query", "depth"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    alarm = {parameter["name"] for parameter in document["paths"]["/api/v1/alarm"]["post"]["parameters"]}
    assert alarm == {"Idempotency-Key", "X-End-User"}


def test_an_optional_query_parameter_is_not_nullable(document):
    parameters = document["paths"]["/api/v1/leaderboard"]["get"]["parameters"]
    (asset,) = [parameter for parameter in parameters if parameter["in"] == "query"]
    plain = {"name": "asset", "in": "query", "required": False, "description": "rank the accounts in this asset alone"}
    assert asset == plain | {"schema": {"type": "string", "enum": list(ASSETS)}}


def test_every_schema_has_a_name_and_a_title_of_its_own(document):
    """A generator of clients names its classes by the titles and drops what collides.

    A class that shares its name is named by its module. No field has null as its default: openapi-typescript requires
    every field that has a default, in bodies too.
    """
    schemas = document["components"]["schemas"]
    assert {"BattleSummary", "HospitalSummary", "LeaderboardEntry", "TriageEntry"} <= schemas.keys()
    assert [name for name in schemas if not name.isalnum()] == []
    assert [schema["title"] for schema in schemas.values()] == list(schemas)
    assert [place for place, shape in shapes(document).items() if shape.get("default", ...) is None] == []


def shapes(document: dict) -> dict[tuple[str, str], dict]:
    """The shape of each field, by the name of its schema and its own."""
    schemas = document["components"]["schemas"].items()
    return {(name, field): shape for name, schema in schemas for field, shape in schema["properties"].items()}


def test_nearly_every_field_says_what_it_means(document):
    """At least 95% of them; those of this test's operations have none. Null is mentioned only of a nullable field."""
    assert sum("description" in shape for shape in shapes(document).values()) >= 0.95 * len(shapes(document))
    for place, shape in shapes(document).items():
        assert " null" not in shape.get("description", "") or {"type": "null"} in shape.get("anyOf", ()), place


def test_a_field_is_described_by_what_it_means_in_its_schema(document):
    """Before, `high` of a candle was the upper end of an interval and `open` the open ones.

    A direction is a view of the price: a far level above it is not likely to be reached, which says nothing about the
    next move.
    """
    for name in ("Candle", "EvidenceBar"):
        for field in ("open", "high", "low", "close"):
            assert shapes(document)[name, field]["description"].endswith("price of the bar in USD")
    for name in ("Ai", "AiVote", "Consensus", "Vote"):
        assert "a view of the price" in shapes(document)[name, "direction"]["description"]


def test_every_instant_of_an_answer_is_declared_as_one(document):
    """Of each captured answer: a text that is an instant has the format date-time in its schema."""
    instant_count = 0
    for name, spec in operations(document):
        for media in spec["responses"].get("200", {}).get("content", {}).values():
            for example in media.get("examples", {}).values():
                for path, is_declared in instants(document, media["schema"], example["value"]):
                    assert is_declared, f"{name}: {path}"
                    instant_count += 1
    assert instant_count > 100


def instants(document: dict, schema: dict, value: object, path: str = "") -> Iterator[tuple[str, bool]]:
    """The places of instants in a value, and whether its schema declares each."""
    options = [resolved(document, option) for option in schema.get("anyOf", (schema,))]
    if isinstance(value, str) and INSTANT.fullmatch(value):
        yield path, any(option.get("format") == "date-time" for option in options)
    for option in options:
        if isinstance(value, list) and "items" in option:
            for item in value:
                yield from instants(document, option["items"], item, path)
        if isinstance(value, dict):
            for name in value.keys() & option.get("properties", {}).keys():
                yield from instants(document, option["properties"][name], value[name], f"{path}.{name}")


def resolved(document: dict, schema: dict) -> dict:
    return document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def test_every_tag_and_every_name_in_an_address_is_described(document):
    """All but those of this test."""
    assert [tag["name"] for tag in document["tags"] if "description" not in tag] == ["Room"]
    for name, spec in operations(document):
        parameters = [parameter for parameter in spec["parameters"] if parameter["in"] == "path"]
        assert spec["tags"] == ["Room"] or all("description" in parameter for parameter in parameters), name


def test_every_asset_and_form_of_question_is_documented(document):
    """Every documented question is understood."""
    sentences = document["info"]["description"]
    assert all(f"`{code}` ({asset.name})" in sentences for code, asset in ASSETS.items())
    for _, question in QUESTION_FORMS:
        assert question in sentences
        understand(question, Circumstances(NOW, SPOTS | {"btc": 65_000.0}, history=HISTORY))


def test_samples_send_what_the_operation_needs(document):
    """The key where one is required, the required parameters, and a body that matches its schema."""
    for name, spec in operations(document):
        curl, *others = (sample["source"] for sample in spec["x-codeSamples"])
        command = shlex.split(curl)
        address = next(word for word in command if word.startswith("http"))
        names = {field["name"] for field in spec["parameters"] if field["in"] == "query" and field["required"]}
        assert set(parse_qs(urlsplit(address).query)) == names, name
        needs_key = {} not in spec["security"] and spec["security"] != []
        assert [("X-API-Key" in sample) for sample in (curl, *others)] == [needs_key] * 3, name
        if "requestBody" in spec:
            body = json.loads(command[command.index("-d") + 1])
            schema = spec["requestBody"]["content"]["application/json"]["schema"]
            assert schema_errors(document, schema, body) == [], name


def test_an_answer_has_every_field_of_its_dataclass(client, document):
    """A value that is not a finite number is null; a body is described as strictly as it is read."""
    answer = client.get("/api/v1/seen/x?asset=b")
    assert answer.json == {"asset": "bx", "price": None, "seen_at": "2026-01-01T00:00:00Z", "note": ""}
    schemas = document["components"]["schemas"]
    success = document["paths"]["/api/v1/seen/{asset}"]["get"]["responses"]["200"]
    assert schema_errors(document, success["content"]["application/json"]["schema"], answer.json) == []
    assert set(schemas["Sighting"]["required"]) == set(answer.json)
    assert schemas["Sighting"]["description"] == "A price and when it was seen."
    alarm = schemas["Alarm"]
    assert alarm["additionalProperties"] is False
    assert schema_errors(document, alarm, {"above": 0}) != []
    assert schema_errors(document, alarm, {"above": alarm["properties"]["above"]["examples"][0]}) == []
