"""100 people at once: one of them sends without a pause, one waits for a slow answer, the others are answered soon."""

from __future__ import annotations

import threading
import time
from statistics import median, quantiles

import pytest

from tests.bot_e2e.chats import Person, Telegram

pytestmark = pytest.mark.slow

PEOPLE, SECONDS = 100, 5
TEXTS = ("/help", "/price btc", "/lanes", "/markets", "What is the price of gold?", "/privacy", "/top", "/accuracy")
HAMMERED = 200
MEDIAN_S, P99_S = 0.3, 2.0


def test_a_hundred_people_are_answered_soon(
    bot: str, telegram: Telegram, slow_model: threading.Event, patience: int, record_property
):
    """Half of the others wait less than 0.3 s, 99 of 100 less than 2 s, from the message to the first answer."""
    record_property("tried", PEOPLE)
    hammering, slow, *others = (telegram.person(bot) for _ in range(PEOPLE))
    slow.says("Will Bitcoin be above $66k by the end of the month?")
    slow.reads("have voted")
    for _ in range(HAMMERED):
        hammering.says("/help")
    sent_at = ask_in_turn(telegram, others)
    telegram.wait_for(lambda: all(person.calls("sendMessage") for person in others))
    waits = sorted(person.calls("sendMessage")[0].at - at for person, at in zip(others, sent_at, strict=True))
    slow_model.set()
    slow.reads("of 9 voted")
    figures = f"median {median(waits):.3f} s, p99 {quantiles(waits, n=100)[98]:.3f} s, longest {waits[-1]:.3f} s"
    print(f"\n{len(waits)} people in {SECONDS} s: {figures}")
    refused = [person.id for person in others if "Too many" in person.messages[0].text]
    assert refused == []
    assert median(waits) < patience * MEDIAN_S, figures
    assert quantiles(waits, n=100)[98] < patience * P99_S, figures
    assert len(hammering.messages) <= 31


def ask_in_turn(telegram: Telegram, people: list[Person]) -> list[float]:
    """Everybody sends one text, evenly over SECONDS; returns when each was sent, in unix seconds."""
    began, sent = time.time(), []
    for number, person in enumerate(people):
        while (left := began + number * SECONDS / len(people) - time.time()) > 0:
            telegram.read_calls(left)
        sent.append(time.time())
        person.says(TEXTS[number % len(TEXTS)])
    return sent
