"""Answers reach the person although Telegram, the service or the bot fails on the way."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import islice

import pytest

from bot import answering, rate_limiter

QUESTION = "Will Bitcoin be above $60k at the end of the month?"
BROKEN = "Bad Gateway"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Failed deliveries are repeated at once."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))


@pytest.fixture
def waiting_at_once(monkeypatch):
    """The waiting message is sent before the first vote."""
    monkeypatch.setattr(answering, "GRACE_S", 0)


def breaking_off(web, pieces: int, times: int = 1):
    """The service, whose first answers end after some pieces; the head alone is sent with 0."""
    calls = []

    def app(environ, start_response):
        if environ["PATH_INFO"] != "/api/v1/oracle" or len(calls) >= times:
            return web(environ, start_response)
        calls.append(environ)
        return cut(web(environ, start_response))

    def cut(answer):
        yield b": begun\n\n"
        yield from islice(answer, pieces)
        answer.close()

    return app


def refusing(web, status: str, code: str, times: int):
    """The service, which refuses the question at its first calls with this status and code."""
    problem = json.dumps({"status": int(status[:3]), "code": code, "detail": "Soon.", "retry_after_s": 40})
    refusals = iter(range(times))

    def app(environ, start_response):
        if environ["PATH_INFO"] != "/api/v1/oracle" or next(refusals, None) is None:
            return web(environ, start_response)
        start_response(status, [("Content-Type", "application/problem+json")])
        return [problem.encode()]

    return app


@pytest.mark.parametrize(
    ("status", "code", "calls"),
    [("409 CONFLICT", "in_progress", 3), ("503 SERVICE UNAVAILABLE", "history_arriving", 1)],
)
def test_a_question_waits_until_the_service_answers(start, web, monkeypatch, status, code, calls):
    """A question of a bot that was killed stays open without a message, and a later pass finds the answer.

    The service still answers it, which a pass waits for twice, or its history arrives.
    """
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0, 0))
    stage = start(refusing(web, status, code, 2 * calls))
    ann, store = stage.person(), stage.application.bot_data["state"].store
    store.open_question(ann.id, ann.chat, None, None, QUESTION)
    for _ in range(2):
        stage.work()
        assert ann.messages == []
    stage.work()
    assert "of 9 voted" in ann.newest.plain


def test_an_answer_needs_no_second_call_for_its_quota(start, web):
    """The quota comes with the answer's own headers, so a refused /api/v1/me changes nothing."""

    def without_usage(environ, start_response):
        if environ["PATH_INFO"] == "/api/v1/me":
            start_response("503 SERVICE UNAVAILABLE", [("Content-Type", "application/problem+json")])
            return [b'{"status": 503, "code": "busy", "detail": "Busy."}']
        return web(environ, start_response)

    ann = start(without_usage).person()
    assert "9 of 10 questions left today" in ann.says(QUESTION).plain
    assert "8 of 10 questions left today" in ann.says(QUESTION).plain


@pytest.mark.parametrize("pieces", [0, 1, 5])
def test_a_broken_call_is_repeated_and_counted_once(start, web, monkeypatch, pieces):
    """The connection to the service ends after some events of the first stream; the service has finished the answer."""
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0, 0))
    ann = start(breaking_off(web, pieces)).person()
    assert "9 of 10 questions left today" in ann.says(QUESTION).plain
    assert len(ann.messages) == 1


def test_an_uncertain_outcome_is_said_and_delivered_later(start, web, monkeypatch):
    """The connection ends twice; the question may have been counted, so nothing else is claimed."""
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0, 0))
    stage = start(breaking_off(web, 5, times=2))
    ann = stage.person()
    reply = ann.says(QUESTION)
    assert "may have been counted" in reply.plain
    stage.work()
    assert "was interrupted" in reply.plain
    assert "of 9 voted" in ann.newest.plain
    assert "9 of 10" in ann.says("/quota").plain
    assert stage.application.bot_data["state"].store.open_questions() == []


def test_an_answer_follows_its_waiting_message_to_a_supergroup(stage, waiting_at_once):
    """The group became a supergroup before the waiting message was sent."""
    group, migration = -7_001, "Bad Request: group chat was upgraded to a supergroup chat"
    stage.telegram.refuse("sendMessage", migration, migrate_to_chat_id=group - 1)
    member = stage.person(group)
    member.says(f"/ask {QUESTION}")
    member.chat = group - 1
    assert "of 9 voted" in member.newest.plain


def test_an_answer_that_cannot_be_edited_in_is_a_new_message(ann, waiting_at_once):
    for _ in range(rate_limiter.ATTEMPTS):
        ann.stage.telegram.refuse("editMessageText", BROKEN, 502)
    ann.says(QUESTION)
    assert len(ann.messages) == 2
    assert "of 9 voted" in ann.newest.plain


def test_an_answer_follows_when_telegram_is_back(ann, store):
    """It was stored by the service, so it is not asked and not counted again."""
    for _ in range(2 * rate_limiter.ATTEMPTS):
        ann.stage.telegram.refuse("sendMessage", BROKEN, 502)
    ann.says(QUESTION)
    assert ann.messages == []
    ann.stage.work()
    assert "of 9 voted" in ann.newest.plain
    assert store.open_questions() == []
    assert "9 of 10" in ann.says("/quota").plain


def test_a_question_of_a_killed_bot_is_answered_at_its_start(start):
    """Its waiting message does not stay, and the person is told."""
    stage = start()
    ann = stage.person()
    message = ann.says("/help")
    state = stage.application.bot_data["state"]
    question = state.store.open_question(ann.id, ann.chat, None, None, QUESTION)
    state.store.set_waiting(question.number, message.id)
    stage.work()
    assert "was interrupted" in message.plain
    assert "of 9 voted" in ann.newest.plain
    assert ann.newest.id != message.id
    stage.work()
    assert len(ann.messages) == 2


def test_an_old_interrupted_question_is_not_asked(ann, store, service):
    """Its "today" may be over."""
    store.open_question(ann.id, ann.chat, None, None, QUESTION)
    before = service.wall
    try:
        service.wall += timedelta(hours=2).total_seconds()
        ann.stage.work()
    finally:
        service.wall = before
    assert "Ask again" in ann.newest.plain
    assert store.open_questions() == []


def test_a_quick_answer_comes_without_a_waiting_message(ann):
    reply = ann.says(QUESTION)
    assert reply.read == [reply.text]
    assert "editMessageText" not in ann.stage.telegram.methods()


def test_a_quota_in_a_group_says_whose_it_is(stage, group):
    reply = stage.person(group).says(f"/ask {QUESTION}")
    assert "Ann <b>& Co: 9 of 10 questions left today" in reply.plain


def test_nothing_shows_typing_in_a_group(stage, group, waiting_at_once):
    """Each such call would count against the twenty messages a minute of a group."""
    stage.person(group).says(f"/ask {QUESTION}")
    assert "sendChatAction" not in stage.telegram.methods()
