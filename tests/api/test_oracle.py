"""POST /api/v1/oracle: a question in, the votes and their consensus out, as one document or as a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from service.store.tables import prediction
from tests.api.conftest import Wall
from tests.api.oracle_app import QUESTION, SPOT, observe, oracle_app
from tests.forecasting.made import panel_of

VOTERS = {"momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "logit", "forest"}


@pytest.fixture
def app(sqlite, tmp_path, wall: Wall) -> Flask:
    observe(sqlite)
    return oracle_app(sqlite, tmp_path, wall)


@pytest.fixture
def ask(client: FlaskClient, api_key: str) -> Callable[..., TestResponse]:
    """Ask with the key of the free plan."""

    def ask(question: object = QUESTION, **headers: str) -> TestResponse:
        return client.post("/api/v1/oracle", json={"question": question}, headers={"X-API-Key": api_key} | headers)

    return ask


def events(answer: TestResponse) -> Iterator[tuple[str, dict]]:
    """The name and the data of each event of a stream."""
    for piece in answer.text.strip().split("\n\n"):
        name, data = piece.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_an_answer_has_the_question_the_votes_and_a_consensus(ask):
    """Every voter has a vote or a reason; one vote is the consensus."""
    answer = ask()
    body = answer.json
    assert answer.status_code == 200
    assert body["understood"]["comparator"] == "close_above"
    assert (body["understood"]["level"], body["understood"]["spot"]) == (55_000, SPOT)
    assert set(body["votes"]) == {"vol"}
    assert set(body["abstained"]) == VOTERS - {"vol"}
    assert 0 < body["votes"]["vol"]["p_yes"] < 0.5
    assert body["consensus"]["direction"] == body["votes"]["vol"]["direction"] == "BEARISH"
    assert not body["cached"]


def test_an_answer_is_as_the_openapi_document_describes_it(ask, client):
    document = client.get("/api/openapi.json").json
    responses = document["paths"]["/api/v1/oracle"]["post"]["responses"]
    schema = responses["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(schema | {"components": document["components"]}).validate(ask().json)


def test_a_stream_ends_with_the_whole_answer(ask):
    """First the question, then one event for each voter, and at last the consensus with the same votes."""
    answer = ask(Accept="text/event-stream")
    assert answer.mimetype == "text/event-stream"
    (first, question), *replies, (last, whole) = events(answer)
    assert (first, last) == ("question", "consensus")
    assert set(question["voters"]) == VOTERS
    assert question["understood"] == whole["understood"]
    assert [name for name, _ in replies].count("vote") == 1
    assert {data["voter"]: data["reason"] for name, data in replies if name == "abstention"} == whole["abstained"]
    (vote,) = [data["vote"] for name, data in replies if name == "vote"]
    assert vote["p_yes"] == whole["votes"]["vol"]["p_yes"]


def test_an_answer_is_stored_as_a_prediction_of_its_caller(ask, sqlite, api_key):
    id = ask().json["id"]
    with sqlite.reading() as db:
        (row,) = db.execute(prediction.select()).all()
    assert (row.id, row.category) == (id, "answer")
    assert row.author == f"key:{api_key.split('_')[2]}"


@pytest.mark.parametrize(
    ("question", "status", "code"),
    [
        ("best pizza in Rome", 400, "not_a_market_question"),
        ("Will Bitcoin reach 60,000 USD by 2 January 2026?", 400, "invalid_question"),
        ("", 400, "invalid_request"),
        ("x" * 501, 400, "invalid_request"),
    ],
)
def test_a_refused_question_is_free(ask, question, status, code):
    refused = ask(question)
    assert (refused.status_code, refused.json["code"]) == (status, code)
    assert ask().headers["X-RateLimit-Remaining"] == "9"


def test_a_question_needs_a_key(client: FlaskClient):
    assert client.post("/api/v1/oracle", json={"question": QUESTION}).json["code"] == "missing_api_key"


def test_too_few_votes_are_a_free_503(sqlite, tmp_path, wall):
    """Without fits eight of nine abstain: fewer than the quorum of five."""
    observe(sqlite)
    client = oracle_app(sqlite, tmp_path, wall, panel_of(quorum=5)).test_client()
    key = client.post("/api/v1/register", json={"email": "someone@example.com"}).json["api_key"]
    refused = client.post("/api/v1/oracle", json={"question": QUESTION}, headers={"X-API-Key": key})
    assert (refused.status_code, refused.json["code"]) == (503, "unavailable")
    assert set(refused.json["abstained"]) == VOTERS - {"vol"}
    assert client.get("/api/v1/me", headers={"X-API-Key": key}).json["used"] == 0
