"""Two programs that receive the updates of one bot, as Telegram sees it: only the newest getUpdates is answered."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import wait_until

pytestmark = pytest.mark.slow

SENTENCE = "another program receives this bot's updates; this one goes on when it ends. Telegram: Conflict: "


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return tmp_path / "older" / "instances"


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Another folder with the same name, so that its bot has the same token."""
    return tmp_path / "newer" / "instances"


def is_answered_once(telegram: Telegram, token: str, level: int) -> None:
    """Right after a conflict, only one of the instances polls for a second."""
    conflicts = count_conflicts(telegram, token)
    telegram.wait_for(lambda: count_conflicts(telegram, token) > conflicts)
    asks(telegram.person(token), level)


def asks(person: Person, level: int) -> None:
    person.says(f"Will Bitcoin be above ${level}k at the end of the month?")
    assert "9 of 10 questions left today" in person.reads("of 9 voted").text
    assert len(person.messages) == 1


def count_conflicts(telegram: Telegram, token: str) -> int:
    return sum((call.bot, call.method, call.status) == (token, "getUpdates", 409) for call in telegram.calls)


def test_two_instances_lose_and_double_nothing(start_bot: StartBot, telegram: Telegram, older: Path, newer: Path):
    """Each has its own data. The older one goes on when the newer one ends; each says why in one line of its log."""
    for folder in (older, newer):
        folder.mkdir(parents=True)
    with start_bot(older) as token:
        with start_bot(newer):
            wait_until(lambda: SENTENCE in (older / "log").read_text())
            is_answered_once(telegram, token, 84)
            is_answered_once(telegram, token, 85)
            wait_until(lambda: SENTENCE in (newer / "log").read_text())
        asks(telegram.person(token), 86)
    for folder in (older, newer):
        log = (folder / "log").read_text()
        assert log.count(SENTENCE) == 1, log
        assert log.count("Conflict") == 1, log
        assert "Traceback" not in log


def test_a_webhook_elsewhere_is_one_line_until_it_ends(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    """Telegram's reason depends on whether the bot was waiting for updates just then; our sentence does not."""
    with start_bot(tmp_path) as token:
        person = telegram.person(token)
        person.says("/help")
        person.reads("/research")
        httpx.post(f"{telegram.bots}{token}/setWebhook", json={"url": "http://127.0.0.1:9/updates"})
        telegram.wait_for(lambda: count_conflicts(telegram, token) >= 3)
        httpx.post(f"{telegram.bots}{token}/deleteWebhook")
        person.says("/privacy")
        person.reads("Stored data")
    log = (tmp_path / "log").read_text()
    assert log.count("Conflict") == 1, log
    assert log.count(SENTENCE) == 1, log
    assert "Traceback" not in log
