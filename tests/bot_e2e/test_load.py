"""100 people at once: one of them sends without a pause, one waits for a slow answer, the others are answered."""

from __future__ import annotations

import threading
import time
from statistics import median, quantiles

import pytest

from tests.bot_e2e.chats import Person, Telegram

pytestmark = pytest.mark.slow

PEOPLE, SECONDS = 100, 5
TEXTS = ("/help", "/price btc", "/lanes", "/markets", "What is the price of gold?", "/privacy", "/top", "/accuracy")
HAMMER_COUNT = 200


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
    waiter.reads("of 9 voted")
    refusals = [person.id for person in others if "Too many" in person.messages[0].text]
    assert refusals == []
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
