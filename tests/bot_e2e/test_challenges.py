"""A challenge from its question to the first vote, also across a restart of the bot."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.bot_e2e.chats import Message, Person, Telegram
from tests.bot_e2e.conftest import Service, StartBot

pytestmark = pytest.mark.slow

QUESTION = "Will ethereum be above 5,000 USD on"


@pytest.fixture
def deadline() -> str:
    """A date that the service accepts."""
    return (datetime.now(UTC) + timedelta(days=30)).date().isoformat()


def test_a_challenge_is_created_and_voted_on(person: Person, service: Service, deadline: str):
    """An invalid or past date is refused with a reason."""
    for date, reason in {"2026-02-30": "no such date", "2020-01-01": "in the past"}.items():
        person.says(f"/challenge {QUESTION} {date}?")
        assert reason in person.reads("Send /challenge again").text
    person.says(f"/challenge {QUESTION} {deadline}?")
    assert QUESTION in person.waits_for(lambda message: {"Create", "Cancel"} <= set(message.buttons)).text
    person.presses("Create")
    page = person.reads(f"is open until {deadline}")
    assert challenge_of(service, page)["question"] == f"{QUESTION} {deadline}?"
    person.presses("Yes")
    person.waits_for(lambda _: challenge_of(service, page)["user_votes"]["yes"] == 1)


def test_a_challenge_survives_restarts_of_the_bot(
    start_bot: StartBot, telegram: Telegram, service: Service, tmp_path: Path, deadline: str
):
    """Stopped between question and date and killed before Create, the bot continues and creates one challenge."""
    with start_bot(tmp_path) as token:
        person = telegram.person(token)
        person.says("/challenge Will bitcoin be above 95,000 USD?")
        choice = person.reads("Until when?")
    with start_bot(tmp_path, killed=True):
        person.presses_on(choice, list(choice.buttons)[2])
        confirm = person.waits_for(lambda message: "Create" in message.buttons)
    with start_bot(tmp_path):
        person.presses_on(confirm, "Create")
        page = person.reads("is open until")
        person.presses_on(confirm, "Create")
        person.is_answered()
    assert len(open_challenges(service, "95,000 USD")) == 1
    assert challenge_of(service, page)["question"] == "Will bitcoin be above 95,000 USD?"


def test_a_group_gets_a_link_to_the_private_chat(person: Person):
    """In a group, /challenge sends a link that opens the private chat and starts a challenge there."""
    group = person.in_group()
    group.says("/challenge@ninefold_test_bot")
    (link,) = group.reads("private chat").links.values()
    address, _, payload = link.partition("?start=")
    assert address == "https://t.me/ninefold_test_bot"
    person.says(f"/start {payload}")
    person.reads("Send one yes/no question")


def challenge_of(service: Service, page: Message) -> dict:
    """The service's document of the challenge that a message announces."""
    match = re.search(r"Challenge (\d+) is open", page.text)
    assert match, page.text
    return httpx.get(f"{service.address}/api/v1/predictions/challenge-{match[1]}").json()


def open_challenges(service: Service, words: str) -> list[dict]:
    """The open challenges whose question contains `words`."""
    challenges = httpx.get(f"{service.address}/api/challenges/active").json()["challenges"]
    return [challenge for challenge in challenges if words in challenge["question"]]
