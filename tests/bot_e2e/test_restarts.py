"""A bot that is killed at a step of a question: after its restart the answer is shown once and counted once."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot

pytestmark = pytest.mark.slow

TURNOUT = "of 9 voted"


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
