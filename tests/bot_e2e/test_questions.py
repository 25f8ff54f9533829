"""What people do with the bot: a question and its answer, across the end of a bot that is killed, and among many."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from statistics import median, quantiles

import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot

pytestmark = pytest.mark.slow
TURNOUT = "of 9 voted"
PEOPLE, SECONDS = 100, 5
TEXTS = ("/help", "/price btc", "/lanes", "/markets", "What is the price of gold?", "/privacy", "/top", "/accuracy")
HAMMER_COUNT = 200


def test_the_waiting_message_becomes_the_answer(person: Person, slow_model: threading.Event):
    """The question is shown as typed; from a model's reasoning the service removes the tags."""
    question = "Will Bitcoin be <b>above</b> $61k & more at the end of the month?"
    person.says(f"/ask {question}")
    message = person.reads("8 of 9 have voted.")
    slow_model.set()
    answer = person.reads(TURNOUT)
    assert answer.id == message.id
    assert "9 of 10 questions left today" in answer.text
    assert "Not investment advice." in answer.text
    person.presses("Show votes")
    assert person.is_answered() == ""
    text = person.reads("Votes").text
    assert all(words in text for words in (question, "momentum", "Momentum is up & away."))


def test_a_bot_killed_during_its_call_still_answers(
    start_bot: StartBot, telegram: Telegram, tmp_path: Path, slow_model: threading.Event
):
    """Once, and it counts once; the service is still answering when the restarted bot asks again."""
    with start_bot(tmp_path, killed=True) as token:
        person = telegram.person(token)
        person.says("Will Bitcoin be above $81k at the end of the month?")
        person.reads("have voted")
    typing = len(person.calls("sendChatAction"))
    with start_bot(tmp_path):
        telegram.wait_for(lambda: len(person.calls("sendChatAction")) > typing)
        slow_model.set()
        person.reads(TURNOUT)
        person.says("/quota")
        person.reads("9 of 10 questions left today")
        assert sum(TURNOUT in message.text for message in person.messages) == 1


def test_a_hundred_people_are_answered(bot: str, telegram: Telegram, slow_model: threading.Event, record_property):
    """While a slow question is open and one person hammers, everybody else is answered and nobody is refused."""
    record_property("tried", PEOPLE)
    hammerer, waiter, *others = (telegram.person(bot) for _ in range(PEOPLE))
    waiter.says("Will Bitcoin be above $66k at the end of the month?")
    waiter.reads("have voted")
    for _ in range(HAMMER_COUNT):
        hammerer.says("/help")
    sent_at = ask_in_turn(telegram, others)
    telegram.wait_for(lambda: all(person.calls("sendMessage") for person in others))
    waits = sorted(person.calls("sendMessage")[0].at - at for person, at in zip(others, sent_at, strict=True))
    print(f"\nmedian {median(waits):.3f} s, p99 {quantiles(waits, n=100)[98]:.3f} s, longest {waits[-1]:.3f} s")
    slow_model.set()
    waiter.reads(TURNOUT)
    assert [person.id for person in others if "Too many" in person.messages[0].text] == []
    assert len(hammerer.messages) <= 31


def ask_in_turn(telegram: Telegram, people: list[Person]) -> list[float]:
    """Everybody sends one text, evenly over SECONDS; returns when each was sent, in unix seconds."""
    began, instants = time.time(), []
    for number, person in enumerate(people):
        while (left := began + number * SECONDS / len(people) - time.time()) > 0:
            telegram.read_calls(left)
        instants.append(time.time())
        person.says(TEXTS[number % len(TEXTS)])
    return instants
