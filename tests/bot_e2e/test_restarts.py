"""A bot that is killed at a step of a question: after its restart the answer is shown once and counted once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot
from tests.models import waits_for
from tests.sources.llm.model_server import ModelServer, vote_text

pytestmark = pytest.mark.slow

ANSWERED = "of 9 voted"


@pytest.fixture
def slow_model(model: ModelServer) -> Iterator[threading.Event]:
    """The model does not answer before the event is set."""
    release = threading.Event()
    model.behaviours = [waits_for(release, vote_text())]
    yield release
    release.set()


def test_killed_while_the_call_is_open(
    start_bot: StartBot, telegram: Telegram, tmp_path: Path, slow_model: threading.Event
):
    with start_bot(tmp_path, killed=True) as token:
        person = telegram.person(token)
        person.says(question(81))
        person.reads("have voted")
    slow_model.set()
    with start_bot(tmp_path):
        is_answered_once(person)


def question(level: int) -> str:
    return f"Will Bitcoin be above ${level}k by the end of the month?"


def is_answered_once(person: Person) -> None:
    person.reads(ANSWERED)
    assert sum(ANSWERED in message.text for message in person.messages) == 1
    person.says("/quota")
    person.reads("9 of 10 questions left today")
