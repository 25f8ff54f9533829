"""POST /api/v1/oracle: a question in, the votes and their consensus out, as one document or as a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import httpx
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from sqlalchemy import text
from werkzeug.test import TestResponse

from service import canonical
from service.api.answering import QuestionInput, answering
from service.api.auth import Caller
from service.client import Client, NotFound
from service.forecasting.predictions import Settlement
from service.forecasting.voters.ballots import EMBEDDED
from service.market.instants import utc
from service.market.prices import Rate
from service.store import keys, predictions, snapshots
from service.store.secret import key_secret
from service.store.tables import prediction
from tests.api.conftest import NOON, Wall
from tests.api.oracle_app import EIGHT, QUESTION, SPOT, observe, oracle_app
from tests.forecasting.made import panel_of
from tests.running_service import RunningService, copied, running_service

VOTERS = {"momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv"}


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
    """Every voter has a vote or a reason. Volatility alone says nothing of the direction."""
    answer = ask()
    body = answer.json
    assert answer.status_code == 200
    assert body["understood"]["comparator"] == "close_above"
    assert (body["understood"]["level"], body["understood"]["spot"]) == (55_000, SPOT)
    assert set(body["votes"]) == VOTERS - {"news"}
    assert body["abstained"] == {"news": "There is no news."}
    assert (body["votes"]["vol"]["p_yes"], body["p_yes"], body["answer"]) == (0.004, 0.004, "Almost impossible: 0.4%")
    assert body["consensus"]["direction"] == body["votes"]["vol"]["direction"] == "NEUTRAL"
    assert (body["consensus"]["bull_probability"], body["votes"]["vol"]["conviction"] > 80) == (50.0, True)
    assert not body["cached"]


def test_a_level_in_euros_is_converted_at_the_stored_rate(ask, sqlite):
    """The note names the rate and its time; before the first rate the question is refused."""
    question = "Will Bitcoin be above 50,000 euros on 20 January 2027?"
    refused = ask(question)
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_question")
    assert "no exchange rate of the euro" in refused.json["detail"]
    with sqlite.writing() as db:
        snapshots.save_rates(db, NOON, {"EUR": Rate(1.1, "kraken EUR/USD", utc(NOON))})
    understood = ask(question).json["understood"]
    assert understood["level"] == pytest.approx(55_000)
    assert understood["canonical"].startswith("Will Bitcoin (btc) be above 55,000 USD at")
    assert any("1.1 USD per euro (kraken EUR/USD, 2027-01-15 12:00 UTC)" in note for note in understood["notes"])


def test_an_answer_is_as_the_openapi_document_describes_it(ask, openapi_document):
    responses = openapi_document["paths"]["/api/v1/oracle"]["post"]["responses"]
    schema = responses["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(schema | {"components": openapi_document["components"]}).validate(ask().json)


def test_a_stream_ends_with_the_whole_answer(ask):
    """First the question, then one event for each voter, and at last the consensus with the same votes."""
    answer = ask(Accept="text/event-stream")
    assert answer.mimetype == "text/event-stream"
    (first, question), *replies, (last, whole) = events(answer)
    assert (first, last) == ("question", "consensus")
    assert set(question["voters"]) == VOTERS
    assert question["understood"] == whole["understood"]
    assert [name for name, _ in replies].count("vote") == 8
    assert {data["voter"]: data["reason"] for name, data in replies if name == "abstention"} == whole["abstained"]
    votes = {data["voter"]: data["vote"]["p_yes"] for name, data in replies if name == "vote"}
    assert votes == {voter: vote["p_yes"] for voter, vote in whole["votes"].items()}


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


@pytest.fixture
def understand(client: FlaskClient, api_key: str) -> Callable[..., TestResponse]:
    def understand(question: object = QUESTION) -> TestResponse:
        return client.post("/api/v1/oracle/understand", json={"question": question}, headers={"X-API-Key": api_key})

    return understand


def test_a_question_is_understood_free_of_charge(understand, ask):
    """The same `understood` as with an answer, and the engine of every voter that would vote."""
    read = understand()
    assert (read.status_code, read.json["question"]) == (200, QUESTION)
    assert read.json["answered_by"] == dict.fromkeys(VOTERS, EMBEDDED)
    assert read.json["understood"]["language"] == "English"
    assert read.json["understood"]["rule"].startswith("YES if the last Bitcoin price")
    answer = ask()
    assert answer.json["understood"] == read.json["understood"]
    assert answer.headers["X-RateLimit-Remaining"] == "9"


def test_an_alternative_can_be_asked_as_it_is(understand, ask):
    (other,) = understand("Will Bitcoin be above 55,000 USD by 20 January 2027?").json["understood"]["alternatives"]
    assert set(other) == {"question", "canonical", "reason"}
    answer = ask(other["question"])
    assert answer.json["understood"]["canonical"] == other["canonical"]
    assert answer.json["understood"]["comparator"] == "touch_above"


@pytest.mark.parametrize("whole", [True, False])
def test_what_was_understood_can_be_asked_again(client, api_key, understand, whole):
    """The whole document, or its canonical sentence alone, in place of the text."""
    first = understand("btc 55k on 20 january 2027?").json["understood"]
    again = {"understood": first if whole else {"canonical": first["canonical"]}}
    answer = client.post("/api/v1/oracle", json=again, headers={"X-API-Key": api_key})
    assert answer.status_code == 200
    for name in ("asset", "comparator", "level", "deadline", "negated", "polarity", "canonical"):
        assert answer.json["understood"][name] == first[name]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": QUESTION, "understood": {"canonical": QUESTION}}, "question"),
        ({"understood": {"level": 1.0}}, "understood.canonical"),
        ({"understood": {"canonical": QUESTION, "level": 56_000.0}}, "understood.level"),
        ({"understood": {"canonical": QUESTION, "asset": "eth"}}, "understood.asset"),
        ({"understood": {"canonical": "best pizza in Rome"}}, "understood.canonical"),
    ],
)
def test_a_document_that_disagrees_with_itself_is_refused(client, api_key, ask, body, field):
    """Exactly one of `question` and `understood`, and no field that its canonical sentence contradicts."""
    refused = client.post("/api/v1/oracle", json=body, headers={"X-API-Key": api_key})
    assert (refused.status_code, [error["field"] for error in refused.json["errors"]]) == (400, [field])
    assert ask().headers["X-RateLimit-Remaining"] == "9"


def test_a_refused_question_has_suggestions_that_are_accepted(understand):
    refused = understand("Will Bitcoin hit 60 by 20 January 2027?")
    assert refused.json["code"] == "invalid_question"
    assert refused.json["suggestions"][0] == "Will Bitcoin trade at or above 60,000 USD at any time until 2027-01-20?"
    assert all(understand(text).status_code == 200 for text in refused.json["suggestions"])


def test_refused_questions_are_limited_too(understand, ask):
    """60 questions a minute are read per caller, wherever they are asked; the day's quota stays."""
    assert [ask("best pizza in Rome").status_code for _ in range(30)] == [400] * 30
    assert [understand("best pizza in Rome").status_code for _ in range(30)] == [400] * 30
    for refused in (ask(), understand()):
        assert (refused.status_code, refused.json["code"], refused.json["limit"]) == (429, "rate_limited", 60)


def test_a_full_server_reads_no_question(sqlite, tmp_path, wall):
    """Reading is inside the limit of open questions: without a place even a refusal is busy."""
    app = oracle_app(sqlite, tmp_path, wall, oracle_concurrency=1)
    observe(sqlite)
    client = app.test_client()
    key = client.post("/api/v1/register", json={"email": "someone@example.com"}).json["api_key"]
    with app.test_request_context():
        place = answering().open(QuestionInput(QUESTION), Caller("203.0.113.7")).place
    for path in ("/api/v1/oracle", "/api/v1/oracle/understand"):
        busy = client.post(path, json={"question": "best pizza in Rome"}, headers={"X-API-Key": key})
        assert (busy.status_code, busy.json["code"]) == (503, "busy")
    challenge = {"question": "best pizza in Rome", "deadline": "2027-02-14"}
    assert client.post("/api/challenges/create", json=challenge).json["code"] == "busy"
    place.close()
    assert client.post(path, json={"question": QUESTION}, headers={"X-API-Key": key}).status_code == 200


def test_too_few_votes_are_a_free_503(sqlite, tmp_path, wall):
    """Eight vote where a quorum of nine is set."""
    observe(sqlite)
    client = oracle_app(sqlite, tmp_path, wall, panel_of(EIGHT, quorum=9)).test_client()
    key = client.post("/api/v1/register", json={"email": "someone@example.com"}).json["api_key"]
    refused = client.post("/api/v1/oracle", json={"question": QUESTION}, headers={"X-API-Key": key})
    assert (refused.status_code, refused.json["code"]) == (503, "unavailable")
    assert set(refused.json["abstained"]) == {"news"}
    assert client.get("/api/v1/me", headers={"X-API-Key": key}).json["used"] == 0


QUESTIONS = ("Will Bitcoin be above $60k on Friday?", "Will ETH rise tomorrow?", "What will gold cost at Christmas?")


@pytest.fixture(scope="module")
def service(seeded, tmp_path_factory):
    with running_service(copied(seeded, tmp_path_factory.mktemp("answers"))) as running:
        yield running


def caller_of(service: RunningService) -> Client:
    """A new caller, whose key the service uses from then on."""
    runtime = service.runtime
    with runtime.database.writing() as db:
        service.key, _ = keys.register_key(
            db, key_secret(runtime.settings), "reader@example.com", runtime.now(), plan="paid"
        )
    return Client("http://service", service.key, transport=httpx.WSGITransport(service.client.application))


@pytest.fixture
def caller(service: RunningService) -> Client:
    """A caller with three answers, a second of world time apart."""
    client = caller_of(service)
    for question in QUESTIONS:
        client.ask(question)
        service.wall += 1
    return client


def test_answers_are_listed_newest_first(caller: Client):
    listed = caller.answers()
    assert (listed["schema"], listed["count"], listed["next"]) == ("answers/1", 3, None)
    assert [answer["question"] for answer in listed["answers"]] == list(reversed(QUESTIONS))
    assert {answer["resolution"] for answer in listed["answers"]} == {None}


def test_an_answer_reads_as_it_was_given(caller: Client):
    original = caller.ask("Will silver be above 20 USD next week?")
    assert caller.answer(original["id"]) == original | {"resolution": None, "score": None}


def test_an_answer_keeps_the_order_of_its_fields(caller: Client):
    """Before, the votes came by name, and the quantiles 10 and 25 before 5."""
    original = caller.ask("Will silver be above 20 USD next week?")
    assert list(caller.answer(original["id"])["votes"]) == list(original["votes"])


def test_pages_join_to_all_answers(caller: Client):
    first = caller.answers(limit=2, votes="none")
    second = caller.answers(limit=2, cursor=first["next"])
    assert (first["count"], second["count"], second["next"]) == (2, 1, None)
    assert [answer["votes"] for answer in first["answers"]] == [{}, {}]
    assert len(list(caller.pages("answers"))) == 3


def test_an_answer_of_another_caller_does_not_exist(service: RunningService, caller: Client):
    stranger, (answer, *_) = caller_of(service), caller.answers()["answers"]
    assert stranger.answers()["count"] == 0
    with pytest.raises(NotFound):
        stranger.answer(answer["id"])


def test_a_market_is_no_answer(service: RunningService, caller: Client):
    with service.runtime.database.reading() as db:
        id = predictions.active_markets(db, int(service.wall))[0].id
    with pytest.raises(NotFound):
        caller.answer(id)


def test_a_resolved_answer_has_its_outcome_and_score(service: RunningService, caller: Client):
    """Of a question without an event the outcome is kept, but there is nothing to score."""
    price, _, level = caller.answers()["answers"]
    with service.runtime.database.writing() as db:
        for answer in (price, level):
            predictions.add_settlement(
                db, answer["id"], Settlement("no", int(service.wall), "btc close 50,000", "bars")
            )
        p = predictions.find_prediction(db, level["id"]).commitment.p
    shown = caller.answer(level["id"])
    assert (shown["resolution"]["outcome"], shown["resolution"]["evidence"]) == ("no", "btc close 50,000")
    assert shown["score"]["brier"] == pytest.approx(p**2, abs=1e-5)
    assert (caller.answer(price["id"])["resolution"]["outcome"], caller.answer(price["id"])["score"]) == ("no", None)


def test_an_answer_of_an_earlier_version_is_readable(service: RunningService, caller: Client):
    """Its body lacks the fields that were added since; the words are those of its probability."""
    id = caller.answers()["answers"][-1]["id"]
    with service.runtime.database.writing() as db:
        body = canonical.read(db.scalar(text("SELECT body FROM prediction WHERE id = :id"), {"id": id}))
        words = body.pop("answer")
        assert words
        del body["consensus"]["pivotal"], body["cached"], body["understood"]["days"]
        for vote in body["votes"].values():
            del vote["outlier"]
        db.execute(text("UPDATE prediction SET body = :body WHERE id = :id"), {"id": id, "body": canonical.write(body)})
    assert (caller.answer(id)["consensus"]["pivotal"], caller.answer(id)["answer"]) == ([], words)


def test_reading_answers_costs_no_daily_quota(caller: Client):
    used = caller.usage()["used"]
    caller.answers()
    assert caller.usage()["used"] == used


def test_a_cursor_of_another_list_is_refused(service: RunningService, caller: Client):
    cursor = caller.predictions(limit=1)["next"]
    answer = service.client.get(f"/api/v1/answers?cursor={cursor}", headers={"X-API-Key": service.key})
    assert (answer.status_code, answer.get_json()["errors"][0]["field"]) == (400, "cursor")


def test_without_a_key_there_are_no_answers(service: RunningService):
    assert service.client.get("/api/v1/answers").status_code == 401
