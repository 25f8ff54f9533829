"""Every answer is kept for its caller, and for nobody else."""

from __future__ import annotations

import httpx
import pytest
from sqlalchemy import text

from service import canonical
from service.client import Client, NotFound
from service.forecasting.predictions import Settlement
from service.store import keys, predictions
from service.store.secret import key_secret
from tests.running_service import RunningService, copied, running_service

QUESTIONS = ("Will Bitcoin be above $60k on Friday?", "Will ETH rise tomorrow?", "What will gold cost at Christmas?")


@pytest.fixture(scope="module")
def service(seeded, tmp_path_factory):
    with running_service(copied(seeded, tmp_path_factory.mktemp("answers"))) as running:
        yield running


def caller_of(service: RunningService) -> Client:
    """A new caller, whose key the service uses from then on."""
    runtime = service.runtime
    with runtime.database.writing() as db:
        service.key, _ = keys.register(
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
    assert len(list(caller.all_answers())) == 3


def test_an_answer_of_another_caller_does_not_exist(service: RunningService, caller: Client):
    stranger, (answer, *_) = caller_of(service), caller.answers()["answers"]
    assert stranger.answers()["count"] == 0
    with pytest.raises(NotFound):
        stranger.answer(answer["id"])


def test_a_market_is_no_answer(service: RunningService, caller: Client):
    with service.runtime.database.reading() as db:
        id = predictions.active(db, int(service.wall))[0].id
    with pytest.raises(NotFound):
        caller.answer(id)


def test_a_resolved_answer_has_its_outcome_and_score(service: RunningService, caller: Client):
    """Of a question without an event the outcome is kept, but there is nothing to score."""
    price, _, level = caller.answers()["answers"]
    with service.runtime.database.writing() as db:
        for answer in (price, level):
            predictions.settle(db, answer["id"], Settlement("no", int(service.wall), "btc close 50,000", "bars"))
        p = predictions.find(db, level["id"]).commitment.p
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
