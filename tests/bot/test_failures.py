"""The service down, slow or broken, and Telegram itself: one clear sentence, never silence, never a trace."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator

import pytest

import bot.service
import service.client
from bot import alerts
from bot.messages import notices
from tests.processes import free_port

QUESTION = "Will Bitcoin be above $60k by the end of the month?"
NEEDING = ("/lanes", "/lane trend", "/top", "/markets", "/challenges", "/hospital", "/strategy macd_slow", "/accuracy")
NEEDING += ("/news", "/streaks", "/fund", "/brain", "/quota", QUESTION)


def broken(_environ, start_response):
    """A service whose every answer is a fault with a trace in it."""
    start_response("500 INTERNAL SERVER ERROR", [("Content-Type", "text/html")])
    return [b"<h1>Traceback (most recent call last)</h1> secret.py line 7"]


def faulty(_environ, start_response):
    """A service that says which request it failed."""
    start_response("500 INTERNAL SERVER ERROR", [("Content-Type", "application/problem+json")])
    return [json.dumps({"status": 500, "code": "internal", "detail": "Internal.", "request_id": "abc-1"}).encode()]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def is_one_sentence(shown) -> bool:
    """One message for a person: no address, no trace, nothing of the inside."""
    inside = ("Traceback", "http", "127.0.0.1", "Error", ".py", "Asking")
    return 0 < len(shown.plain) < 200 and not any(word in shown.plain for word in inside)


@pytest.mark.parametrize("text", NEEDING)
def test_a_service_that_is_down_is_one_sentence(start, text):
    ann = start(oracle_url=f"http://127.0.0.1:{free_port()}").person()
    shown = ann.says(text)
    assert is_one_sentence(shown)
    assert "cannot be reached" in shown.plain
    assert len(ann.messages) == 1


@pytest.mark.parametrize("text", ["/lanes", "/top", QUESTION])
def test_a_service_that_never_answers_is_one_sentence(start, silent_port, monkeypatch, text):
    monkeypatch.setattr(bot.service, "CALL_S", 0.1)
    monkeypatch.setattr(service.client, "SILENCE_S", 0.1)
    ann = start(oracle_url=f"http://127.0.0.1:{silent_port}").person()
    shown = ann.says(text)
    assert is_one_sentence(shown)
    assert "too long" in shown.plain


def test_nobody_waits_for_a_service_that_hangs(start, silent_port, monkeypatch):
    """What the service keeps waiting is looked at beside the rest."""
    monkeypatch.setattr(bot.service, "CALL_S", 1.0)
    stage = start(oracle_url=f"http://127.0.0.1:{silent_port}")
    ann, ben = stage.person(), stage.person()
    ann.says("/lanes", settle=False)
    assert "/quota" in ben.says("/help", settle=False).plain
    assert ann.newest is None
    stage.settle()
    assert is_one_sentence(ann.newest)


@pytest.mark.parametrize("app", [broken, faulty])
@pytest.mark.parametrize("text", ["/lanes", "/quota", QUESTION])
def test_a_service_that_fails_is_one_sentence(start, app, text):
    shown = start(app).person().says(text)
    assert is_one_sentence(shown)
    assert "went wrong at the service" in shown.plain


def test_a_key_that_the_service_does_not_know(start):
    shown = start(oracle_key="nf_live_nobody").person().says(QUESTION)
    assert is_one_sentence(shown)
    assert "key" in shown.plain


def test_a_button_that_fails_says_why_and_changes_nothing(start, silent_port, monkeypatch):
    monkeypatch.setattr(bot.service, "CALL_S", 0.1)
    stage = start(oracle_url=f"http://127.0.0.1:{silent_port}")
    ann = stage.person()
    shown = ann.says("/help")
    for data in ("show:lanes:.0", "chart:fund:", "yes:challenge:1"):
        ann.sends_data(data, shown)
        assert is_one_sentence(ann.newest)
    assert len(ann.messages) == 4
    assert "/quota" in shown.plain
    answered = {values["callback_query_id"] for method, values in stage.telegram.calls if "Callback" in method}
    assert answered == stage.telegram.pressed


def test_who_was_refused_may_ask_at_once_again(start, web):
    """A question that failed is not open any more."""
    ann = start(broken).person()
    ann.says(QUESTION)
    assert "One question at a time" not in ann.says(QUESTION).plain


def test_a_fault_of_the_bot_itself_is_said_and_logged(stage, ann, monkeypatch, caplog):
    monkeypatch.setattr("bot.messages.waiting", lambda _voters: 1 / 0)
    shown = ann.says(QUESTION)
    assert is_one_sentence(shown)
    assert "went wrong here" in shown.plain
    assert "ZeroDivisionError" in caplog.text


def test_a_fault_while_an_answer_is_written_is_said_in_its_place(ann, monkeypatch, caplog):
    monkeypatch.setattr("bot.messages.answer", lambda _told, _usage: 1 / 0)
    shown = ann.says(QUESTION)
    assert "went wrong here" in shown.plain
    assert len(ann.messages) == 1
    assert "ZeroDivisionError" in caplog.text


def test_a_chat_that_is_gone_is_not_written_to_again(ann):
    store = ann.stage.application.bot_data["rooms"].store
    ann.says("/alerts")
    ann.sends_data("on:alert:flip", ann.newest)
    ann.stage.telegram.refuse("sendMessage", "Forbidden: bot was blocked by the user", 403)
    ann.says("/help")
    assert store.switches(ann.id)["flip"] == "off"


def test_what_telegram_refuses_is_logged_without_the_token_and_owned_up_to(ann, caplog):
    ann.stage.telegram.refuse("sendMessage", "Bad Request: a new limit")
    with caplog.at_level(logging.DEBUG):
        ann.says("/help")
    assert "A new limit" in caplog.text
    assert ann.stage.application.bot.token not in caplog.text
    assert ann.newest.text == notices.fault()


def test_alerts_are_watched_for_every_minute(stage, monkeypatch):
    (job,) = stage.application.job_queue.jobs()
    assert job.trigger.interval.total_seconds() == 60
    seen = []

    async def watch(*parts: object) -> None:
        seen.append(parts)

    monkeypatch.setattr(alerts, "watch", watch)
    stage.runner.run(job.run(stage.application))
    stage.settle()
    rooms = stage.application.bot_data["rooms"]
    assert seen == [(stage.application.bot, rooms.service, rooms.store, rooms.now())]


def test_the_watcher_works_over_the_real_service(ann, furnished, caplog):
    """A digest that is due is sent, once."""
    store = ann.stage.application.bot_data["rooms"].store
    store.set_digest(ann.id, ann.chat, 8, "UTC")
    (job,) = ann.stage.application.job_queue.jobs()
    before = furnished.wall
    try:
        furnished.wall += 86400
        for _ in range(2):
            ann.stage.runner.run(job.run(ann.stage.application))
            ann.stage.settle()
    finally:
        furnished.wall = before
    assert len(ann.messages) == 1
    assert "Digest" in ann.newest.plain
    assert "ERROR" not in caplog.text
