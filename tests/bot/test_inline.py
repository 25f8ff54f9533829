"""Inline mode: typing asks nothing; a sent question gets its answer in its own message."""

from __future__ import annotations

import pytest

from bot import inline, rate_limiter
from tests.bot.conftest import TURNOUT, refusing

QUESTION = "Will Bitcoin be above $90k at the end of the month?"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Texts are read, and failed edits repeated, at once."""
    monkeypatch.setattr(inline, "PAUSE_S", 0)
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))


def test_a_sent_question_becomes_its_answer(ann, ben):
    """Typing is free, the answer counts for the person who sent it, and it opens in the bot."""
    offers = ann.types(f"  {QUESTION} ")
    assert offers[0]["description"] == QUESTION
    assert len(offers) == 1
    assert ann.questions_left() == 10
    reply = ann.chooses(offers[0])
    assert TURNOUT in reply.plain
    assert "questions left" not in reply.plain
    assert ann.questions_left() == 9
    assert list(reply.buttons) == ["Open in the bot"]
    assert TURNOUT in ben.says(f"/start {reply.buttons['Open in the bot'].partition('start=')[2]}").plain


def test_a_button_answers_where_telegram_reports_nothing(ann, ben):
    """It counts for the person who presses it."""
    reply = ann.chooses(ann.types(QUESTION)[0], is_reported=False)
    assert reply.plain == QUESTION
    ben.presses_inline("Show the answer", reply)
    assert TURNOUT in reply.plain
    assert (ann.questions_left(), ben.questions_left()) == (10, 9)


def test_earlier_answers_are_offered_as_cards(ann, ben):
    ann.says(QUESTION)
    (offer,) = ann.types("")
    assert offer["title"] == QUESTION
    assert TURNOUT in ann.chooses(offer).plain
    assert ben.types("") == []
    assert ann.questions_left() == 9


def test_a_price_is_offered_at_once(ann):
    (offer,) = ann.types("price of bitcoin")
    assert "Bitcoin" in offer["title"]
    assert "in 24 hours" in ann.chooses(offer).plain
    assert ann.questions_left() == 10


def test_suggestions_of_a_refusal_are_offered(ann):
    offers = ann.types("Will Bitcoin hit 90 at the end of the month?")
    assert "90,000 USD" in offers[0]["description"]
    assert ann.types("Will Bitcoin hit 90 at the end of the month?")[0]["description"].startswith("Will ")
    ann.language = "de"
    assert ann.types("Will Bitcoin hit 90 at the end of the month?")[0]["description"].startswith("Bitcoin erreicht")
    assert ann.types("x" * 600) == []


def test_only_the_last_of_many_keys_is_read(ann, monkeypatch):
    monkeypatch.setattr(inline, "PAUSE_S", 0.2)
    for text in ("will", "will btc", QUESTION):
        ann.types(text, settle=False)
    ann.stage.settle()
    assert ann.stage.telegram.methods().count("answerInlineQuery") == 1
    assert ann.stage.telegram.offered[0]["description"] == QUESTION


def test_a_failed_question_keeps_its_button(start, web):
    """A service that cannot be reached offers nothing."""
    stage = start(refusing(web, r"^/api/v1/oracle(/stream)?\?", times=1, detail="Busy."))
    ann = stage.person()
    reply = ann.chooses(ann.types(QUESTION)[0])
    assert "Busy" in reply.plain
    ann.presses_inline("Show the answer", reply)
    assert TURNOUT in reply.plain
    assert start(lambda _environ, start_response: start_response("500 X", []) and []).person().types(QUESTION) == []


def test_an_expired_question_says_so(ann):
    reply = ann.chooses(ann.types(QUESTION)[0], is_reported=False)
    reply.keyboard[0][0]["callback_data"] = "answer:inline:AAAAAAAAAAAA"
    ann.presses_inline("Show the answer", reply)
    assert ann.stage.telegram.popups[-1] == "This answer has expired. Ask again."
