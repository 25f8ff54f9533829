"""POST /api/v1/oracle: a question in, the votes and their consensus out, as one document or as a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from traceback import format_exception
from unittest.mock import Mock

import httpx
import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from service.api.answering import answering
from service.api.auth import Caller
from service.api.questions import QuestionInput
from service.client import Client, NotFound
from service.forecasting.voters.ballots import EMBEDDED
from service.market.instants import WorldClock, utc
from service.market.prices import Rate
from service.questions import topics
from service.store import predictions, snapshots
from service.store.idempotency import HELD_S
from service.store.quotas import LEASE_S, release_expired
from service.store.tables import prediction
from tests.api.conftest import NOON
from tests.api.interrupted import outages_at_each_step
from tests.api.opened import EIGHT, NAMES, QUESTION, SPOTS, observe
from tests.api.web import refusal_of
from tests.forecasting.made import panel_of
from tests.running_service import RunningService, copied, running_service

VOTERS = set(NAMES)
ORACLE, UNDERSTAND = "/api/v1/oracle", "/api/v1/oracle/understand"


@pytest.fixture
def app(request, make_app, sqlite) -> Flask:
    """Eight vote, and the news seat abstains; a test may set the quorum and options of the application."""
    observe(sqlite)
    options = {"quorum": 1} | getattr(request, "param", {})
    return make_app(sqlite, panel_of(EIGHT, options.pop("quorum")), **options)


@pytest.fixture
def post(call, api_key: str) -> Callable[..., TestResponse]:
    """Ask with the key of the free plan; a body may have other fields, with a question or without."""

    def post(question: str | None = QUESTION, path: str = ORACLE, headers=(), **body) -> TestResponse:
        body |= {} if question is None else {"question": question}
        return call("POST", path, key=api_key, json=body, headers=headers)

    return post


@pytest.fixture
def understand(post) -> Callable[..., TestResponse]:
    """Let a text be read, which may carry on an earlier question: the `context`."""
    return partial(post, path=UNDERSTAND)


def events(answer: TestResponse) -> Iterator[tuple[str, dict]]:
    """The name and the data of each event of a stream."""
    for piece in answer.text.strip().split("\n\n"):
        name, data = piece.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_an_answer_has_the_question_the_votes_and_a_consensus(post):
    """Every voter has a vote or a reason. Volatility alone says nothing of the direction."""
    answer = post()
    body = answer.json
    assert answer.status_code == 200
    assert body["understood"]["comparator"] == "close_above"
    assert (body["understood"]["level"], body["understood"]["spot"]) == (55_000, SPOTS["btc"])
    assert set(body["votes"]) == VOTERS - {"news"}
    assert body["abstained"] == {"news": "There is no news."}
    assert (body["votes"]["vol"]["p_yes"], body["p_yes"], body["answer"]) == (0.004, 0.004, "Almost impossible: 0.4%")
    assert body["consensus"]["direction"] == body["votes"]["vol"]["direction"] == "NEUTRAL"
    assert (body["consensus"]["bull_probability"], body["votes"]["vol"]["conviction"] > 80) == (50.0, True)
    assert not body["cached"]


def test_a_level_in_euros_is_converted_at_the_stored_rate(post, sqlite):
    """The note names the rate and its time; before the first rate the question is refused."""
    question = "Will Bitcoin be above 50,000 euros on 20 January 2027?"
    refusal = post(question)
    assert refusal_of(refusal) == (400, "invalid_question", "question")
    assert "no exchange rate of the euro" in refusal.json["detail"]
    with sqlite.writing() as db:
        snapshots.publish(db, NOON, {snapshots.RATES: {"EUR": Rate(1.1, "kraken EUR/USD", utc(NOON))}})
    meaning = post(question).json["understood"]
    assert meaning["level"] == pytest.approx(55_000)
    assert meaning["canonical"].startswith("Will Bitcoin (btc) be above 55,000 USD at")
    assert any("1.1 USD per euro (kraken EUR/USD, 2027-01-15 12:00 UTC)" in note for note in meaning["notes"])


def test_a_stream_ends_with_the_whole_answer(post):
    """First the question, then one event for each voter, and at last the consensus with the same votes."""
    answer = post(headers={"Accept": "text/event-stream"})
    assert answer.mimetype == "text/event-stream"
    (first, question), *replies, (last, document) = events(answer)
    assert (first, last) == ("question", "consensus")
    assert set(question["voters"]) == VOTERS
    assert question["understood"] == document["understood"]
    assert [name for name, _ in replies].count("vote") == 8
    assert {data["voter"]: data["reason"] for name, data in replies if name == "abstention"} == document["abstained"]
    votes = {data["voter"]: data["vote"]["p_yes"] for name, data in replies if name == "vote"}
    assert votes == {voter: vote["p_yes"] for voter, vote in document["votes"].items()}


@pytest.mark.parametrize("media", ["application/json", "text/event-stream"])
def test_an_answer_is_stored_kept_and_charged_in_one_step(post, sqlite, wall, usage, media):
    """Whichever transaction an outage or a kill begins with: a retry gets the one answer, for one call."""

    def attempt(retry_key: str) -> int:
        with suppress(OperationalError):  # a stream that cannot be settled has begun, so it breaks off
            answer = post(headers={"Idempotency-Key": retry_key, "Accept": media})
            return answer.status_code if answer.get_data() else 0
        return 0

    for number, retry_key in enumerate(outages_at_each_step(sqlite, attempt), 1):
        wall.time += HELD_S
        assert attempt(retry_key) == 200
        with sqlite.writing() as db:
            release_expired(db, wall.time + LEASE_S)
            answers = db.scalar(select(func.count()).select_from(prediction))
        assert (answers, usage()) == (number, number), retry_key
    assert number > 3


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("best pizza in Rome", "not_a_market_question"),
        ("Will Bitcoin reach 60,000 USD by 2 January 2026?", "invalid_question"),
        ("Will the Fed cut rates by 2 March 2027?", "invalid_question"),
        *(("", "invalid_request"), ("x" * 501, "invalid_request")),
    ],
)
def test_a_refused_question_is_free(post, question: str, code: str):
    assert refusal_of(post(question)) == (400, code, "question")
    assert post().headers["X-RateLimit-Remaining"] == "9"


def test_a_question_is_understood_free_of_charge(understand, post, check_schema):
    """The same `understood` as with an answer, and the engine of every voter that would vote."""
    read = understand()
    check_schema(UNDERSTAND, read.json, "post")
    assert (read.status_code, read.json["question"]) == (200, QUESTION)
    assert read.json["answered_by"] == dict.fromkeys(VOTERS, EMBEDDED)
    assert read.json["understood"]["language"] == "English"
    assert read.json["understood"]["rule"].startswith("YES if the last Bitcoin price")
    answer = post()
    assert answer.json["understood"] == read.json["understood"]
    assert answer.headers["X-RateLimit-Remaining"] == "9"


def test_what_was_understood_can_be_asked_again(post, understand):
    """The whole document, or its canonical sentence alone, instead of the text; a price that has moved is no matter."""
    first = understand("btc 55k on 20 january 2027?").json["understood"]
    for document in (first | {"spot": 1.0}, {"canonical": first["canonical"]}):
        meaning = post(None, understood=document).json["understood"]
        for name in ("asset", "comparator", "level", "deadline", "negated", "polarity", "canonical"):
            assert meaning[name] == first[name]


WRONG = {"level": 56_000.0, "asset": "eth", "negated": True, "deadline": "2027-01-21T00:00:00Z"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": QUESTION, "understood": {"canonical": QUESTION}}, "question"),
        ({"understood": {"canonical": QUESTION}, "context": "5d8aa6aca803b77b"}, "question"),
        ({"understood": {"level": 1.0}}, "understood.canonical"),
        ({"understood": {"canonical": "best pizza in Rome"}}, "understood.canonical"),
        *(
            ({"understood": {"canonical": QUESTION, name: value}}, f"understood.{name}")
            for name, value in WRONG.items()
        ),
    ],
)
def test_a_document_that_disagrees_with_itself_is_refused(post, body: dict, field: str):
    """Exactly one of `question` and `understood`, and no field that its canonical sentence contradicts."""
    refusal = post(**{"question": None} | body)
    assert (refusal.status_code, [error["field"] for error in refusal.json["errors"]]) == (400, [field])
    assert post().headers["X-RateLimit-Remaining"] == "9"


def test_a_refused_question_has_suggestions_that_are_accepted(understand):
    refusal = understand("Will Bitcoin hit 200 by 20 January 2027?")
    assert refusal.json["code"] == "invalid_question"
    assert refusal.json["suggestions"][0] == "Will Bitcoin trade at or above 200,000 USD at any time until 2027-01-20?"
    assert all(understand(text).status_code == 200 for text in refusal.json["suggestions"])


def test_refused_questions_are_limited_too(understand, post):
    """60 questions a minute are read per caller, wherever they are asked; the day's quota stays."""
    assert [post("best pizza in Rome").status_code for _ in range(30)] == [400] * 30
    assert [understand("best pizza in Rome").status_code for _ in range(30)] == [400] * 30
    for refusal in (post(), understand()):
        assert (*refusal_of(refusal), refusal.json["limit"]) == (429, "rate_limited", 60)


@pytest.mark.parametrize("app", [{"oracle_concurrency": 1}], indirect=True)
def test_a_full_server_reads_no_question(app: Flask, post, understand):
    """Reading is inside the limit of open questions: without a place even a refusal is busy."""
    with app.test_request_context():
        place = answering().open(QuestionInput(QUESTION), Caller("203.0.113.7")).place
    for path, fields in ((ORACLE, {}), (UNDERSTAND, {}), ("/api/challenges/create", {"deadline": "2027-02-14"})):
        assert refusal_of(post("best pizza in Rome", path, **fields)) == (503, "busy")
    place.close()
    assert understand().status_code == 200


@pytest.mark.parametrize("app", [{"quorum": 9}], indirect=True)
def test_too_few_votes_are_a_free_503(post, usage):
    """Eight vote where a quorum of nine is set."""
    refusal = post()
    assert (*refusal_of(refusal), *refusal.json["abstained"]) == (503, "unavailable", "news")
    assert usage() == 0


QUESTIONS = ("Will Bitcoin be above $60k on Friday?", "Will ETH rise tomorrow?", "What will gold cost at Christmas?")


@pytest.fixture(scope="module")
def service(seeded, tmp_path_factory):
    with running_service(copied(seeded, tmp_path_factory.mktemp("answers"))) as service:
        yield service


def caller_of(service: RunningService) -> Client:
    """A new caller."""
    return Client("http://service", service.register(), transport=httpx.WSGITransport(service.client.application))


@pytest.fixture
def caller(service: RunningService) -> Client:
    """A caller with three answers, a second of world time apart."""
    client = caller_of(service)
    for question in QUESTIONS:
        client.ask(question)
        service.wall += 1
    return client


def test_answers_are_listed_newest_first_and_their_pages_join(caller: Client):
    first = caller.answers(limit=2, votes="none")
    second = caller.answers(limit=2, cursor=first["next"])
    assert (first["schema"], first["count"], second["count"], second["next"]) == ("answers/1", 2, 1, None)
    assert [answer["votes"] for answer in first["answers"]] == [{}, {}]
    answers = list(caller.pages("answers"))
    assert [answer["question"] for answer in answers] == list(reversed(QUESTIONS))
    assert {answer["resolution"] for answer in answers} == {None}


def test_an_answer_reads_as_it_was_given_for_free(caller: Client):
    """Its fields keep their order: before, the votes came by name, and the quantiles 10 and 25 before 5."""
    original = caller.ask("Will silver be above 20 USD next week?")
    usage = caller.usage()
    answer = caller.answer(original["id"])
    assert json.dumps(answer) == json.dumps(original | {"resolution": None, "score": None})
    assert caller.usage() == usage


def test_another_callers_answer_and_a_market_do_not_exist(service: RunningService, caller: Client):
    stranger, (answer, *_) = caller_of(service), caller.answers()["answers"]
    assert stranger.answers()["count"] == 0
    with service.runtime.database.reading() as db:
        market = predictions.active_markets(db, int(service.wall))[0]
    for id in (answer["id"], market.id):
        with pytest.raises(NotFound):
            stranger.answer(id)


@pytest.mark.parametrize("path", [ORACLE, UNDERSTAND])
def test_a_text_carries_an_earlier_question_on(post, path: str):
    """The earlier question is the id of an answer or what was understood, and the result says what was taken over."""
    first = post().json
    assert first["understood"]["carryover"] == []
    for context in (first["id"], first["understood"], {"canonical": first["understood"]["canonical"]}):
        second = post("what about 60k?", path, context=context).json["understood"]
        assert second["carryover"] == ["asset", "comparator", "deadline"]
        assert (second["asset"], second["comparator"], second["level"]) == ("btc", "close_above", 60_000)
        assert second["deadline"] == first["understood"]["deadline"]


def test_a_text_may_be_about_the_last_two_questions(post, understand):
    """What was understood names the question that it follows, also where it is asked afterwards."""
    first = understand("Will Bitcoin reach 60,000 USD by 20 January 2027?").json["understood"]
    second = understand("and 40k?", context=first).json["understood"]
    assert (first["follows"], second["follows"]) == (None, first["canonical"])
    for context in (second, post(None, understood=second).json["id"]):
        third = understand("which one first?", context=context).json["understood"]
        assert (third["comparator"], third["level"], third["upper_level"]) == ("upper_first", 40_000, 60_000)
    unread = understand("which one first?", context=second | {"follows": "hello"})
    assert "Only the last question" in unread.json["detail"]


@pytest.mark.parametrize(("text", "intent"), [("and bitcoin?", "price"), ("will it hit 60k?", "question")])
def test_a_price_is_carried_on_by_its_text(understand, text: str, intent: str):
    """With nothing new but the asset the next text asks for the price of that."""
    reading = understand(text, context={"canonical": "how much is btc"}).json
    assert (reading["intent"], reading["asset"]) == (intent, "btc")


def test_a_percentage_and_a_language_are_carried_on(understand):
    """The move counts from the present price again; a text that may be of several languages is of the earlier one."""
    first = understand("Fällt Bitcoin bis zum 20. Januar 2027 um 10%?").json["understood"]
    second = understand("25.1.2027?", context=first).json["understood"]
    assert (second["level_pct"], second["level"]) == (-10, pytest.approx(0.9 * SPOTS["btc"]))
    assert (second["language"], second["carryover"]) == ("German", ["asset", "comparator", "level"])


def test_a_question_is_carried_on_after_its_deadline(understand):
    """Its asset, event and level stay; a new deadline must be named."""
    first = understand("Will Bitcoin reach 60,000 USD by 20 January 2027?").json["understood"]
    past = first | {"deadline": "2027-01-10T00:00:00Z", "horizon_hours": 24.0}
    past["canonical"] = past["canonical"].replace("2027-01-20 23:59", "2027-01-10 00:00")
    assert "has passed" in understand("and 65k?", context=past).json["detail"]
    assert understand("by 1 February 2027?", context=past).json["understood"]["level"] == 60_000


@pytest.mark.parametrize(
    "context",
    [
        *("0" * 16, "\N{GREEK SMALL LETTER ALPHA}", "x" * 2000, 5, {}),
        {"canonical": "best pizza in Rome"},
        {"canonical": QUESTION, "spot": -1.0},
        {"canonical": QUESTION, "horizon_hours": 1e300, "deadline": "2027-01-20T00:00:00Z"},
        {"canonical": QUESTION, "deadline": "yesterday", "horizon_hours": 1.0},
        {"canonical": QUESTION, "deadline": "0001-01-01T00:00:00Z", "horizon_hours": 17000.0},
    ],
)
def test_a_context_that_is_no_earlier_question_is_refused(understand, context):
    refusal = understand("and eth?", context=context)
    assert refusal.status_code == 400
    assert {error["field"].partition(".")[0] for error in refusal.json["errors"]} == {"context"}


@pytest.mark.parametrize("context", [None, {"canonical": QUESTION}])
def test_a_fault_of_the_rules_is_logged_with_its_cause(understand, monkeypatch, context):
    """In a question and in its context, as the refusal says."""
    monkeypatch.setattr(topics, "parse_tokenized", Mock(side_effect=ZeroDivisionError))
    with capture_logs() as log:
        refusal = understand(context=context)
    assert "it was logged" in refusal.json["detail"]
    (entry,) = [entry for entry in log if entry["event"] == "question_unread"]
    assert "ZeroDivisionError" in "".join(format_exception(entry["exc_info"]))


def test_an_answer_of_another_caller_is_no_context(call, post, other_key: str):
    """Its existence is not told either."""
    bodies = [{"question": "and eth?", "context": context} for context in (post().json["id"], "0" * 16)]
    refusal, unknown = (call("POST", UNDERSTAND, key=other_key, json=body) for body in bodies)
    assert (refusal.status_code, refusal.json["detail"]) == (400, unknown.json["detail"])


def test_line_breaks_tabs_and_a_headline_are_read(understand):
    """A headline before the question is a sentence of its own; a quoted line keeps no mark."""
    for question in (
        "btc above 55k\ntomorrow?",
        "btc\tabove 55k\r\n\r\ntomorrow?",
        "Ether plunges 20 percent as funds sell in panic\nWill bitcoin be above 55k tomorrow?",
        "> Ether plunges 20 percent as funds sell in panic\n\nWill bitcoin be above 55k tomorrow?",
    ):
        meaning = understand(question).json["understood"]
        assert (meaning["asset"], meaning["comparator"], meaning["level"]) == ("btc", "close_above", 55_000), question


ALERT = {"intent": "alert", "asset": "btc", "side": "below"}
PRICE = {"intent": "price", "asset": "btc"}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("danke!", {"intent": "thanks", "asset": None}),
        ("стоит ли покупать биткоин?", {"intent": "advice", "asset": "btc"}),
        ("alert me when btc falls below 45k", ALERT | {"level": 45_000, "level_pct": None}),
        ("alert me when btc falls 5%", ALERT | {"level": None, "level_pct": -5}),
        ("how much are 0.25 btc in euros", PRICE | {"amount": 0.25, "currency": "EUR", "value": None}),
        ("price of 2 btc", PRICE | {"amount": 2, "currency": None, "value": 100_000}),
    ],
)
def test_a_text_that_asks_no_forecast_is_read_by_its_intent(understand, post, check_schema, text, fields):
    """Without a refusal; the oracle refuses it. A price has no value in a currency without a rate, such as here."""
    reading = understand(text).json
    assert reading == reading | fields | {"understood": None, "answered_by": {}}
    check_schema(UNDERSTAND, reading, "post")
    assert post(text).status_code == 400


def test_a_strict_caller_gets_no_answer_to_an_assumption(post, usage):
    """The refusal is free of charge and suggests the reading and the alternatives, each of which is sure."""
    question = "Will Bitcoin be above 55,000 USD by 20 January 2027?"
    meaning = post(question, UNDERSTAND).json["understood"]
    assert (meaning["certainty"], meaning["assumed"]) == ("assumed", ["moment"])
    for path in (ORACLE, UNDERSTAND):
        refusal = post(question, path, strict=True)
        assert refusal_of(refusal) == (422, "assumed_reading", "question")
        assert refusal.json["suggestions"] == [meaning["canonical"], meaning["alternatives"][0]["question"]]
    assert usage() == 0
    for suggestion in refusal.json["suggestions"]:
        meaning = post(suggestion, strict=True).json["understood"]
        assert (meaning["certainty"], meaning["assumed"]) == ("sure", [])


@pytest.mark.parametrize(
    ("app", "words"),
    [({"clock": WorldClock("simulated")}, "simulated"), ({"clock": WorldClock("replay", NOON, NOON)}, "a replay")],
    indirect=["app"],
)
def test_other_worlds_than_the_live_one_refuse_a_coin(app, post, words: str):
    """The refusal is free and names the assets that have prices."""
    refusal = post("Will pepecoin reach 0.5 by Friday?")
    assert (refusal.status_code, refusal.headers["X-RateLimit-Remaining"]) == (400, "10")
    assert f"only in the live world, where exchanges have their prices; this world is {words}" in refusal.json["detail"]
    assert "Bitcoin (btc)" in refusal.json["detail"]
