"""Errors of the service, of Telegram and of the bot: one clear sentence, no traceback."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator

import pytest

import bot.service
import service.client.streams
from bot.languages import translate
from bot.messages import notices
from tests.processes import free_port

QUESTION = "Will Bitcoin be above $60k at the end of the month?"
REQUESTS = ("/lanes", "/top", "/markets", "/challenges", "/hospital", "/accuracy", "/research")
REQUESTS += ("/news", "/streaks", "/fund", "/brain", "/quota", QUESTION)


def broken(_environ, start_response):
    """A service that answers every request with a traceback."""
    start_response("500 INTERNAL SERVER ERROR", [("Content-Type", "text/html")])
    return [b"<h1>Traceback (most recent call last)</h1> secret.py line 7"]


def faulty(_environ, start_response):
    """A service that answers every request with an error and its request id."""
    start_response("500 INTERNAL SERVER ERROR", [("Content-Type", "application/problem+json")])
    return [json.dumps({"status": 500, "code": "internal", "detail": "Internal.", "request_id": "abc-1"}).encode()]


def arriving(_environ, start_response):
    """A service at its first start, which is still fetching the price history."""
    start_response("503 SERVICE UNAVAILABLE", [("Content-Type", "application/problem+json"), ("Retry-After", "40")])
    detail = "The price history is arriving: about 40 s left."
    return [json.dumps({"status": 503, "code": "history_arriving", "detail": detail, "retry_after_s": 40}).encode()]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def is_one_sentence(reply) -> bool:
    """Whether a message is short, without addresses and internal details."""
    internal = ("Traceback", "http", "127.0.0.1", "Error", ".py", "Asking")
    return 0 < len(reply.plain) < 200 and not any(word in reply.plain for word in internal)


@pytest.mark.parametrize("text", REQUESTS)
def test_an_unreachable_service_is_one_sentence(start, text):
    ann = start(oracle_url=f"http://127.0.0.1:{free_port()}").person()
    reply = ann.says(text)
    assert is_one_sentence(reply)
    assert ("I keep it" if text == QUESTION else "cannot be reached") in reply.plain
    assert len(ann.messages) == 1


@pytest.mark.parametrize("text", ["/lanes", "/top", QUESTION])
def test_a_silent_service_is_one_sentence(start, silent_port, monkeypatch, text):
    monkeypatch.setattr(bot.service, "CALL_S", 0.1)
    monkeypatch.setattr(service.client.streams, "SILENCE_S", 0.1)
    ann = start(oracle_url=f"http://127.0.0.1:{silent_port}").person()
    reply = ann.says(text)
    assert is_one_sentence(reply)
    assert ("I keep it" if text == QUESTION else "too long") in reply.plain


@pytest.mark.parametrize("app", [broken, faulty])
@pytest.mark.parametrize("text", ["/lanes", "/quota", QUESTION])
def test_a_failing_service_is_one_sentence(start, app, text):
    reply = start(app).person().says(text)
    assert is_one_sentence(reply)
    assert "went wrong at the service" in reply.plain


@pytest.mark.parametrize("text", ["/lanes", "/price btc", QUESTION])
def test_an_arriving_history_is_one_message(start, text):
    """It says how long the history still takes, and that the person asks again then."""
    ann = start(arriving).person()
    reply = ann.says(text)
    assert is_one_sentence(reply)
    assert reply.plain == "The price history is still arriving: about 40 s left. Please ask again then."
    assert len(ann.messages) == 1


def test_an_unknown_key_is_in_the_log_at_the_start(start, caplog):
    """Before the first person asks."""
    stage = start(oracle_key="nf_live_unknown")
    stage.wait_for(lambda: "the service rejects BOT_ORACLE_KEY" in caplog.text)


def test_an_unknown_key_is_one_sentence(start):
    reply = start(oracle_key="nf_live_unknown").person().says(QUESTION)
    assert is_one_sentence(reply)
    assert "key" in reply.plain


def test_a_failed_button_says_why_and_changes_nothing(start, silent_port, monkeypatch):
    monkeypatch.setattr(bot.service, "CALL_S", 0.1)
    stage = start(oracle_url=f"http://127.0.0.1:{silent_port}")
    ann = stage.person()
    reply = ann.says("/help")
    for data in ("show:lanes:.0", "chart:price:btc", "yes:challenge:1"):
        ann.sends_data(data, reply)
        assert is_one_sentence(ann.newest)
    assert len(ann.messages) == 4
    assert "/quota" in reply.plain
    answers = {values["callback_query_id"] for method, values in stage.telegram.calls if "Callback" in method}
    assert answers == stage.telegram.pressed


def test_a_failed_question_can_be_asked_again_at_once(start, web):
    """A failed question is no longer open."""
    ann = start(broken).person()
    ann.says(QUESTION)
    assert "One question at a time" not in ann.says(QUESTION).plain


def test_an_error_of_the_bot_is_reported_and_logged(stage, ann, monkeypatch, caplog):
    monkeypatch.setattr("bot.messages.oracle.quota", lambda _usage: 1 / 0)
    reply = ann.says("/quota")
    assert is_one_sentence(reply)
    assert "went wrong in the bot" in reply.plain
    assert "ZeroDivisionError" in caplog.text


def test_an_error_in_an_answer_replaces_the_waiting_text(ann, monkeypatch, caplog):
    monkeypatch.setattr("bot.messages.oracle.answer", lambda *_parts: 1 / 0)
    reply = ann.says(QUESTION)
    assert "went wrong in the bot" in reply.plain
    assert len(ann.messages) == 1
    assert "ZeroDivisionError" in caplog.text


def test_a_chat_that_blocks_the_bot_gets_no_alerts(ann, store):
    ann.says("/alerts")
    ann.sends_data("set:flip:on", ann.newest)
    ann.stage.telegram.refuse("sendMessage", "Forbidden: bot was blocked by the user", 403)
    ann.says("/help")
    assert store.switches(ann.id)["flip"] == "off"


def test_a_refusal_of_telegram_is_logged_without_token(ann, caplog):
    ann.stage.telegram.refuse("sendMessage", "Bad Request: a new limit")
    with caplog.at_level(logging.DEBUG):
        ann.says("/help")
    assert "A new limit" in caplog.text
    assert ann.stage.application.bot.token not in caplog.text
    assert ann.newest.text == translate(notices.INTERNAL_ERROR)


def test_a_group_that_becomes_a_supergroup_is_answered_there(stage, group, caplog):
    migration = "Bad Request: group chat was upgraded to a supergroup chat"
    stage.telegram.refuse("sendMessage", migration, migrate_to_chat_id=group - 1)
    member = stage.person(group)
    member.says("/help")
    member.chat = group - 1
    assert "/quota" in member.newest.plain
    assert "raised" not in caplog.text


def test_a_report_that_fails_is_logged(ann, caplog):
    for _ in range(2):
        ann.stage.telegram.refuse("sendMessage", "Bad Request: a new limit")
    ann.says("/help")
    assert "the report of an error was not delivered" in caplog.text
    assert "Traceback" not in caplog.text
