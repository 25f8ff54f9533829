"""A challenge, from its question to the first vote on it, also across a restart of the bot."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.bot_e2e.chats import Message, Person, Telegram
from tests.bot_e2e.conftest import Service, StartBot

QUESTION = "Will ethereum be above 5,000 USD?"


@pytest.fixture
def deadline() -> str:
    """A date that the service takes."""
    return (datetime.now(UTC) + timedelta(days=30)).date().isoformat()


def test_a_challenge_is_asked_for_confirmed_created_and_voted_on(person: Person, service: Service, deadline: str):
    """A date that is none, or is over, is refused with a reason, and the next one is still heard."""
    person.says("/challenge")
    person.reads("Send one yes/no question, or /cancel.")
    person.says(QUESTION)
    person.reads("Send a date as YYYY-MM-DD.")
    for wrong, reason in {"2026-02-30": "of the calendar", "2020-01-01": "must be from"}.items():
        person.says(wrong)
        assert reason in person.reads("Send another date").text
    person.says(deadline)
    assert QUESTION in person.waits_for(lambda one: {"Create", "Cancel"} <= set(one.buttons)).text
    person.presses("Create")
    created = person.reads(f"is open until {deadline}")
    assert told(service, created)["question"] == QUESTION
    person.presses("Yes")
    person.waits_for(lambda _: told(service, created)["user_votes"]["yes"] == 1)


def test_a_restart_in_the_middle_of_a_challenge_loses_nothing(
    start_bot: StartBot, telegram: Telegram, service: Service, tmp_path: Path, deadline: str
):
    """Stopped between question and date and killed before Create, the bot goes on where it was, and creates once."""
    with start_bot(tmp_path) as token:
        person = telegram.person(token)
        person.says("/challenge")
        person.reads("Send one yes/no question")
        person.says("Will bitcoin be above 95,000 USD?")
        person.reads("Send a date as YYYY-MM-DD.")
    with start_bot(tmp_path, killed=True):
        person.says(deadline)
        confirm = person.waits_for(lambda one: "Create" in one.buttons)
    with start_bot(tmp_path):
        person.presses_on(confirm, "Create")
        created = person.reads("is open until")
        person.presses_on(confirm, "Create")
        person.is_answered()
    assert len(opened(service, "95,000 USD")) == 1
    assert told(service, created)["question"] == "Will bitcoin be above 95,000 USD?"


def test_a_group_is_led_to_the_private_chat(person: Person):
    """In a group nobody is asked for a question: a link opens the private chat, and that begins one."""
    group = person.in_group()
    group.says("/challenge@ninefold_test_bot")
    (link,) = group.reads("private chat").links.values()
    address, _, payload = link.partition("?start=")
    assert address == "https://t.me/ninefold_test_bot"
    person.says(f"/start {payload}")
    person.reads("Send one yes/no question")


def told(service: Service, created: Message) -> dict:
    """The challenge of which a message says that it is open, as the service tells it."""
    number = re.search(r"Challenge (\d+) is open", created.text)[1]
    return httpx.get(f"{service.address}/api/challenges/{number}").json()


def opened(service: Service, words: str) -> list[dict]:
    """The open challenges whose question has these words."""
    challenges = httpx.get(f"{service.address}/api/challenges/active").json()["challenges"]
    return [one for one in challenges if words in one["question"]]
