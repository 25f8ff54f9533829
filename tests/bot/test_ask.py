"""A question: the message that waits, the answer in its place, and nobody else who has to wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

import pytest
from flask import Flask

from bot import asking
from service.forecasting.oracle import Voter, voters
from service.forecasting.votes import Forecast

QUESTION = "Will Bitcoin be above $60k by the end of the month?"
MARKUP = "<b>&\"' </i> &lt; <script>"
PATIENCE_S = 10


@dataclass
class Waiting:
    """A voter that says nothing until `may_speak`, and then what it is told to."""

    voter: Voter
    may_speak: Event
    reasoning: str = "At last."

    def __getattr__(self, name: str):
        return getattr(self.voter, name)

    def forecast(self, *_asked) -> Forecast:
        assert self.may_speak.wait(PATIENCE_S)
        return Forecast(0.5, self.reasoning)


@pytest.fixture
def may_speak() -> Event:
    return Event()


@pytest.fixture
def slow(furnished, may_speak: Event) -> Flask:
    """The service with a fifth voter that waits."""
    nine = list(voters())
    nine[4] = Waiting(nine[4], may_speak)
    return replace(furnished.house, voters=tuple(nine)).application()


@pytest.fixture
def saying(furnished) -> Callable[[str], Flask]:
    """The service with nine voters who all give this reason."""

    def saying(reasoning: str) -> Flask:
        spoken = Event()
        spoken.set()
        nine = tuple(Waiting(voter, spoken, reasoning) for voter in voters())
        return replace(furnished.house, voters=nine).application()

    return saying


@pytest.mark.parametrize("text", [QUESTION, f"/ask {QUESTION}", f"/ask@ninefold_bot\n{QUESTION}"])
def test_the_answer_takes_the_place_of_the_waiting_message(ann, text):
    shown = ann.says(text)
    assert shown.read[0] == "Asking 9 voters. This takes about 15 seconds."
    assert "BEARISH" in shown.text
    assert "9 of 10 questions left today" in shown.text
    assert "Paper research. Not investment advice." in shown.text
    assert set(shown.buttons) == {"Show votes", "Ask again"}
    assert len(ann.messages) == 1


def test_a_question_in_a_group_is_answered_to_who_asked(stage, group):
    shown = stage.person(group).says(f"/ask {QUESTION}")
    assert "BEARISH" in shown.text
    assert shown.quoted


def test_another_persons_help_is_answered_at_once_while_a_question_is_open(start, slow, may_speak):
    stage = start(slow)
    ann, ben = stage.person(), stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest)
    begun = time.monotonic()
    assert "/quota" in ben.says("/help", settle=False).plain
    assert time.monotonic() - begun < 0.2
    assert "Asking 9 voters" in ann.newest.plain
    may_speak.set()
    stage.settle()
    assert "of 9 voted" in ann.newest.plain


def test_the_waiting_message_counts_the_votes(start, slow, may_speak, monkeypatch):
    monkeypatch.setattr(asking, "PRIVATE_S", 0)
    stage = start(slow)
    ann = stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest and ann.newest.plain == "4 of 9 have voted.")
    may_speak.set()
    stage.settle()
    assert "of 9 voted" in ann.newest.plain


def test_the_waiting_message_is_not_edited_more_often_than_telegram_takes(ann):
    """All nine vote within a moment: two texts, not eleven."""
    assert len(ann.says(QUESTION).read) == 2
    assert asking.PRIVATE_S >= 4
    assert asking.GROUP_S >= 8


def test_typing_is_shown_while_a_question_is_open(start, slow, may_speak):
    stage = start(slow)
    stage.person().says(QUESTION, settle=False)
    stage.wait_for(lambda: "sendChatAction" in stage.telegram.methods())
    assert {values["action"] for name, values in stage.telegram.calls if name == "sendChatAction"} == {"typing"}
    may_speak.set()
    stage.settle()


def test_a_second_question_has_to_wait_for_the_first(start, slow, may_speak):
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
    may_speak.set()
    stage.settle()
    assert "of 9 voted" in ann.messages[0].plain
    assert "of 9 voted" in ben.newest.plain
    assert "8 of 10" in ann.says(QUESTION).plain


def test_two_persons_at_once_have_each_their_own_answer_and_quota(ann, ben):
    ann.says(QUESTION, settle=False)
    ben.says("Will gold rise this week?", settle=False)
    ann.stage.settle()
    assert "Bitcoin" in ann.newest.text
    assert "old" in ben.newest.text
    assert "9 of 10" in ann.newest.text
    assert "9 of 10" in ben.newest.text


def test_a_question_full_of_markup_is_shown_as_it_was_asked(ann):
    shown = ann.says(f"Will Bitcoin be above $60k <b>by</b> & the end of the month? {MARKUP}"[:120])
    assert "<b>by</b> &" in shown.plain


def test_a_reason_full_of_markup_is_shown_as_it_was_given(start, saying):
    ann = start(saying(MARKUP)).person()
    ann.says(QUESTION)
    shown = ann.presses("Show votes")
    assert "&lt;script&gt;" in shown.text


def test_the_longest_reasons_fit_into_messages(start, saying):
    ann = start(saying("<&" * 2000)).person()
    ann.says(QUESTION)
    shown = ann.presses("Show votes")
    ann.presses("▶")
    assert "2 of 2" in shown.plain


@pytest.mark.parametrize("text", ["Will my cat like me?", "x", "🦊" * 200, "Will Bitcoin rise? " * 200])
def test_a_question_that_is_refused_says_why_and_is_not_counted(ann, text):
    shown = ann.says(text)
    assert "Asking" not in shown.plain
    assert "not counted" in shown.plain
    assert "10 of 10" in ann.says("/quota").plain


def test_the_eleventh_question_of_a_day_is_told_when_they_come_back(ann, ben):
    for _ in range(10):
        assert "BEARISH" in ann.says(QUESTION).plain
    shown = ann.says(QUESTION)
    assert shown.plain == "You have used today's 10 questions. They come back at 00:00 UTC."
    assert "You have used today's 10 questions" in ann.says("/quota").plain
    assert "BEARISH" in ben.says(QUESTION).plain


def test_ask_again_asks_anew_and_counts(ann):
    first = ann.says(QUESTION)
    ann.presses("Ask again")
    assert len(ann.messages) == 2
    assert "9 of 10" in first.text
    assert "8 of 10" in ann.newest.text


def test_ask_again_in_a_group_counts_for_who_pressed_it(stage, group):
    ann, ben = stage.person(group), stage.person(group)
    ann.says(f"/ask {QUESTION}")
    ben.presses("Ask again")
    assert "9 of 10" in ben.newest.text


def test_the_votes_are_shown_in_place_page_by_page_and_back(ann):
    shown = ann.says(QUESTION)
    answer = shown.text
    ann.presses("Show votes")
    assert "momentum" in shown.text
    assert "◀" not in shown.buttons
    ann.presses("▶")
    assert "momentum" not in shown.text
    assert "▶" not in shown.buttons
    ann.presses("◀")
    assert "momentum" in shown.text
    ann.presses("Answer")
    assert shown.text == answer
    assert len(ann.messages) == 1


@pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
def test_an_edit_that_telegram_refuses_for_now_is_made_after_the_wait(ann):
    """Telegram asks for a wait of a second; the answer comes after it."""
    ann.stage.telegram.refuse("editMessageText", "Too Many Requests: retry after 1", 429, retry_after=1)
    assert "BEARISH" in ann.says(QUESTION).plain


def test_an_answer_in_one_chat_is_not_to_be_had_in_another(ann, ben):
    token = ann.says(QUESTION).buttons["Show votes"]
    other = ben.says("/help")
    ben.sends_data(token, other)
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
    assert "momentum" not in other.text
