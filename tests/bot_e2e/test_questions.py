"""What people do with the bot: questions, challenges and pages, also across the end of a bot that is killed."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

import httpx
import pytest

from tests.bot_e2e.chats import RESET, Person, Telegram
from tests.bot_e2e.conftest import Service, StartBot

pytestmark = pytest.mark.slow
QUESTION = "Will Bitcoin be above $60k at the end of the month?"
TURNOUT = "of 9 voted"


def test_the_waiting_message_becomes_the_answer(person: Person, slow_model: threading.Event):
    """One message counts the votes after a second, then shows the answer with a button for them.

    A question is shown as typed; from a model's reasoning the service removes the tags.
    """
    person.says("/ask Will Bitcoin be <b>above</b> $61k & more at the end of the month?")
    message = person.reads("8 of 9 have voted.")
    slow_model.set()
    answer = person.reads(TURNOUT)
    assert answer.id == message.id
    assert "9 of 10 questions left today" in answer.text
    assert "Not investment advice." in answer.text
    person.presses("Show votes")
    assert person.is_answered() == ""
    assert "momentum" in person.reads("Votes").text
    person.reads("Will Bitcoin be <b>above</b> $61k & more at the end of the month?")
    person.reads("Momentum is up & away.")


@pytest.mark.parametrize("status", [429, 500, 502, RESET])
def test_a_failed_edit_loses_no_answer(person: Person, telegram: Telegram, slow_model: threading.Event, status: int):
    """The last edit of the waiting message fails; the answer is shown, once."""
    person.says(QUESTION.replace("60", str(status or 64)))
    person.reads("8 of 9 have voted.")
    telegram.fails("editMessageText", status, person.id)
    slow_model.set()
    person.reads(TURNOUT)
    assert sum(TURNOUT in message.text for message in person.messages) == 1


def test_a_bot_killed_before_its_call_still_answers(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    """The bot has stored the question and waits for a service that accepts its connection and nothing more."""
    deaf = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{deaf.getsockname()[1]}"
    with closing(deaf), start_bot(tmp_path, killed=True, ORACLE_URL=address) as token:
        person = telegram.person(token)
        person.says(question(80))
        person.reads("Asking 9 voters")
    with start_bot(tmp_path):
        is_answered_once(person)


def test_a_bot_killed_during_its_call_still_answers(
    start_bot: StartBot, telegram: Telegram, tmp_path: Path, slow_model: threading.Event
):
    """The service is still answering when the restarted bot asks again."""
    with start_bot(tmp_path, killed=True) as token:
        person = telegram.person(token)
        person.says(question(81))
        person.reads("have voted")
    typing = len(person.calls("sendChatAction"))
    with start_bot(tmp_path):
        telegram.wait_for(lambda: len(person.calls("sendChatAction")) > typing)
        slow_model.set()
        is_answered_once(person)


def test_a_bot_killed_before_it_shows_the_answer_does(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    """Telegram refuses the finished answer, and the bot is killed before it tries again."""
    with start_bot(tmp_path, killed=True) as token:
        person = telegram.person(token)
        telegram.fails("sendMessage", 502, person.id, description="Bad Gateway")
        person.says(question(83))
        telegram.wait_for(lambda: person.calls("sendMessage"))
    with start_bot(tmp_path):
        is_answered_once(person)


def question(level: int) -> str:
    return f"Will Bitcoin be above ${level}k at the end of the month?"


def is_answered_once(person: Person) -> None:
    person.reads(TURNOUT)
    person.says("/quota")
    person.reads("9 of 10 questions left today")
    assert sum(TURNOUT in message.text for message in person.messages) == 1


def test_a_challenge_survives_restarts_of_the_bot(
    start_bot: StartBot, telegram: Telegram, service: Service, tmp_path: Path
):
    """Stopped between question and date and killed before Create, the bot continues and creates one challenge."""

    def challenges() -> list[dict]:
        documents = httpx.get(f"{service.address}/api/challenges/active").json()["challenges"]
        return [document for document in documents if document["question"] == question]

    question = "Will bitcoin be above 95,000 USD?"
    with start_bot(tmp_path) as token:
        person = telegram.person(token)
        person.says(f"/challenge {question}")
        choice = person.reads("Until when?")
    with start_bot(tmp_path, killed=True):
        person.presses_on(choice, list(choice.buttons)[2])
        confirm = person.waits_for(lambda message: "Create" in message.buttons)
    with start_bot(tmp_path):
        person.presses_on(confirm, "Create")
        page = person.reads("is open until")
        person.presses_on(confirm, "Create")
        person.is_answered()
        person.presses_on(page, "Yes")
        person.waits_for(lambda _: [challenge["user_votes"]["yes"] for challenge in challenges()] == [1])


def test_a_chart_is_a_photo_with_a_caption(person: Person):
    """It is as wide as a phone, and its caption states the market and the time."""
    person.says("/price btc")
    person.presses("Chart")
    photo = person.waits_for(lambda message: message.photo)
    assert photo.photo
    assert photo.photo["width"] == 1080
    assert "SIMULATED" in photo.text
    assert "UTC" in photo.text


def test_deleteme_deletes_the_data_of_one_person(person: Person, telegram: Telegram, bot: str):
    """After /deleteme old buttons have expired; the buttons of another person still work."""
    another_person = telegram.person(bot)
    for asker in (person, another_person):
        asker.says("Will Bitcoin be above $55k at the end of the month?")
        answer = asker.waits_for(lambda message: "Show votes" in message.buttons)
    person.says("/deleteme")
    person.reads("This deletes all that this bot has of you")
    person.presses("Delete")
    person.reads("Deleted.")
    person.presses("Show votes")
    assert person.is_answered() == "This answer has expired. Ask again."
    another_person.presses_on(answer, "Show votes")
    another_person.reads("Votes")


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
