"""Questions: the waiting message, the answer in its place, and no delay for other people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Event

import pytest
from flask import Flask
from telegram import Update

from bot import answering
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.panel import Voter, voters
from tests.processes import PATIENCE_S

QUESTION = "Will Bitcoin be above $60k at the end of the month?"


@dataclass
class WaitingVoter:
    """A voter that votes only after `may_vote` is set, with the given reasoning."""

    voter: Voter
    may_vote: Event
    reasoning: str = "At last."

    def __getattr__(self, name: str):
        return getattr(self.voter, name)

    def forecast(self, *_inputs) -> Forecast:
        assert self.may_vote.wait(PATIENCE_S)
        return Forecast(0.5, self.reasoning)


@pytest.fixture
def may_vote() -> Event:
    return Event()


@pytest.fixture
def slow(service, may_vote: Event, monkeypatch) -> Flask:
    """The service with a fifth voter that waits for `may_vote`; the bot shows its waiting message at once."""
    monkeypatch.setattr(answering, "GRACE_S", 0)
    nine = list(voters())
    nine[4] = WaitingVoter(nine[4], may_vote)
    return replace(service.runtime, panel=replace(service.runtime.panel, voters=tuple(nine))).application()


@pytest.mark.parametrize("text", [QUESTION, f"/ask {QUESTION}", f"/ask@ninefold_bot\n{QUESTION}"])
def test_the_answer_replaces_the_waiting_message(ann, text, monkeypatch):
    monkeypatch.setattr(answering, "GRACE_S", 0)
    reply = ann.says(text)
    assert reply.read[0] == "Asking 9 voters …"
    assert "9 of 10 questions left today" in reply.text
    assert "Paper research. Not investment advice." in reply.text
    assert set(reply.buttons) == {"Show votes", "Ask again", "Chart", "Follow", "Share"}
    assert len(ann.messages) == 1


def test_a_question_does_not_delay_other_people(start, slow, may_vote):
    stage = start(slow)
    ann, ben = stage.person(), stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest)
    assert "/quota" in ben.says("/help", settle=False).plain
    assert "Asking 9 voters" in ann.newest.plain
    may_vote.set()
    stage.settle()
    assert "of 9 voted" in ann.newest.plain


def test_the_waiting_message_counts_the_votes(start, slow, may_vote, monkeypatch):
    monkeypatch.setattr(answering, "PRIVATE_S", 0)
    stage = start(slow)
    ann = stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest and ann.newest.plain == "4 of 9 have voted.")
    may_vote.set()
    stage.settle()
    assert "of 9 voted" in ann.newest.plain


def test_typing_is_shown_while_a_question_is_open(start, slow, may_vote):
    stage = start(slow)
    stage.person().says(QUESTION, settle=False)
    stage.wait_for(lambda: "sendChatAction" in stage.telegram.methods())
    assert {values["action"] for name, values in stage.telegram.calls if name == "sendChatAction"} == {"typing"}
    may_vote.set()
    stage.settle()


def test_a_person_has_one_open_question(start, slow, may_vote):
    stage = start(slow)
    ann, ben = stage.person(), stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest)
    ann.says("Will gold rise this week?", settle=False)
    stage.wait_for(lambda: len(ann.messages) == 2)
    assert "One question at a time" in ann.newest.plain
    ben.says(QUESTION, settle=False)
    stage.wait_for(lambda: ben.newest)
    assert "Asking 9 voters" in ben.newest.plain
    may_vote.set()
    stage.settle()
    assert "of 9 voted" in ann.messages[0].plain
    assert "of 9 voted" in ben.newest.plain
    assert "8 of 10" in ann.says(QUESTION).plain


@pytest.mark.parametrize("text", ["apple stock?", "🦊" * 200, "Will Bitcoin rise? " * 200])
def test_a_refused_question_is_explained_and_free(ann, text):
    reply = ann.says(text)
    assert "Asking" not in reply.plain
    assert "not counted" in reply.plain
    assert "10 of 10" in ann.says("/quota").plain


def test_the_eleventh_question_of_a_day_is_refused(ann, ben):
    for _ in range(10):
        assert "of 9 voted" in ann.says(QUESTION).plain
    reply = ann.says(QUESTION)
    assert reply.plain == "You have used today's 10 questions. You can ask again after 00:00 UTC."
    assert "You have used today's 10 questions" in ann.says("/quota").plain
    assert "of 9 voted" in ben.says(QUESTION).plain


def test_ask_again_counts_for_the_person_who_presses(stage, group, service):
    ann, ben = stage.person(group), stage.person(group)
    ann.says(f"/ask {QUESTION}")
    _make_older(stage)
    ben.presses("Ask again")
    assert "9 of 10" in ben.newest.text


def _make_older(stage) -> None:
    """The saved answers become answers at the bar before."""
    store = stage.application.bot_data["state"].store
    store._write("UPDATE answer SET payload = json_set(payload, '$.answer.as_of', '2026-11-21T07:00:00Z')")


def test_ask_again_before_the_next_price_is_free(ann):
    """The answer would be the same."""
    answer = ann.says(QUESTION)
    ann.presses("Ask again")
    assert len(ann.messages) == 2
    assert "not counted" in ann.newest.plain
    assert answer.plain.splitlines()[:3] == ann.newest.plain.splitlines()[:3]
    assert "9 of 10" in ann.says("/quota").plain


def test_votes_are_shown_in_place_page_by_page(ann):
    reply = ann.says(QUESTION)
    answer = reply.text
    ann.presses("Show votes")
    assert "momentum" in reply.text
    assert "◀" not in reply.buttons
    ann.presses("▶")
    assert "momentum" not in reply.text
    assert "▶" not in reply.buttons
    ann.presses("◀")
    assert "momentum" in reply.text
    ann.presses("Answer")
    assert reply.text == answer
    assert len(ann.messages) == 1


def test_a_limited_edit_is_retried_after_the_wait(ann, monkeypatch):
    """Telegram requests a wait of one second; then the edit is sent."""
    monkeypatch.setattr(answering, "GRACE_S", 0)
    ann.stage.telegram.refuse("editMessageText", "Too Many Requests: retry after 1", 429, retry_after=1)
    assert "of 9 voted" in ann.says(QUESTION).plain


def test_an_answer_cannot_be_opened_in_another_chat(ann, ben):
    token = ann.says(QUESTION).buttons["Show votes"]
    other = ben.says("/help")
    ben.sends_data(token, other)
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
    assert "momentum" not in other.text


def test_a_guess_is_shown_before_it_counts(ann):
    """Each reading is numbered; its button asks it, and only that counts."""
    guess = ann.says("Will Bitcoin be above $90k by the end of the month?")
    assert "1. Bitcoin above 90,000 USD, on 2026-11-30 23:59 UTC" in guess.plain
    assert "Nothing is counted before." in guess.plain
    assert set(guess.buttons) == {"Ask 1", "Ask 2"}
    assert "10 of 10" in ann.says("/quota").plain
    ann.presses("Ask 2")
    assert "9 of 10 questions left today" in ann.newest.plain


@pytest.mark.parametrize("text", ["will btc go up?", "is bitcoin gonna crash", "sol moon?", "/ask wird btc steigen"])
def test_an_uncertain_text_counts_nothing(ann, text):
    assert "Do you mean this?" in ann.says(text).plain
    assert "10 of 10" in ann.says("/quota").plain


def test_a_suggestion_of_a_refusal_is_a_button(ann):
    refusal = ann.says("Will Bitcoin hit 200 at the end of the month?")
    assert "You can ask:\n1. Bitcoin reaches 200,000 USD" in refusal.plain
    assert set(refusal.buttons) == {"Ask 1", "Ask 2"}
    ann.presses("Ask 1")
    assert "9 of 10 questions left today" in ann.newest.plain


def test_a_too_long_question_is_refused_with_its_length(ann):
    reply = ann.says("Will Bitcoin rise? " * 30)
    assert "569 characters; the limit is 500" in reply.plain
    assert "body" not in reply.plain


def test_a_refusal_does_not_name_options_of_the_operator(ann):
    reply = ann.says("Will the Fed cut rates by December 31?")
    assert "No price decides this." in reply.plain
    assert not any(word in reply.plain for word in ("ORACLE_", "seats", "language model"))
    assert "not counted" in reply.plain


@pytest.mark.parametrize("text", [f"@ninefold_bot {QUESTION}", f"{QUESTION} @Ninefold_Bot"])
def test_a_mention_in_a_group_is_a_question(stage, group, text):
    reply = stage.person(group).says(text)
    assert "of 9 voted" in reply.plain
    assert "ninefold_bot" not in reply.plain.lower()
    assert reply.quoted


def test_a_reply_to_the_bot_in_a_group_is_a_question(stage, group):
    member = stage.person(group)
    bot = member.message({"text": "An answer.", "from": {"id": 99, "is_bot": True, "first_name": "Ninefold"}})
    assert "of 9 voted" in member.says(QUESTION, reply_to_message=bot).plain
    assert "Add a question" in member.says("@ninefold_bot").plain


def test_other_mentions_and_replies_in_a_group_are_ignored(stage, group):
    member = stage.person(group)
    other = member.message({"text": "Hello."})
    assert member.says(QUESTION, reply_to_message=other) is None
    assert member.says(f"@ninefold_bots {QUESTION}") is None


def test_an_update_that_comes_twice_is_one_question(ann, store):
    """Telegram repeats what it is not sure was received, also after a restart of the bot."""
    update = Update.de_json({"update_id": 7, "message": ann.message({"text": QUESTION})}, ann.stage.application.bot)
    for _ in range(2):
        ann.stage.runner.run(ann.stage.application.process_update(update))
        ann.stage.settle()
    assert len(ann.messages) == 1
    assert "9 of 10" in ann.says("/quota").plain
