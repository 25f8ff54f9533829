"""Errors of Telegram, and two programs that receive the updates of one bot."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import wait_until

pytestmark = pytest.mark.slow
SENTENCE = "another program receives this bot's updates; this one goes on when it ends. Telegram: Conflict: "


def asks(person: Person, level: int) -> None:
    """Ask about this level, which nobody asked before: an answer that is shared does not count."""
    person.says(f"Will Bitcoin be above ${level}k at the end of the month?")
    assert "9 of 10 questions left today" in person.reads("of 9 voted").text
    assert len(person.messages) == 1


@pytest.mark.parametrize(("method", "level"), [("sendMessage", 94), ("sendChatAction", 95)])
def test_a_reset_connection_loses_no_answer(person: Person, telegram: Telegram, method: str, level: int):
    telegram.reset_connection(method, person.id)
    asks(person, level)


def count_conflicts(telegram: Telegram, token: str) -> int:
    return sum((call.bot, call.method, call.status) == (token, "getUpdates", 409) for call in telegram.calls)


def has_one_line(folder: Path) -> bool:
    """Whether the log of a bot says once that another program receives its updates, and why."""
    log = (folder / "log").read_text()
    return (log.count(SENTENCE), log.count("Conflict"), "Traceback" in log) == (1, 1, False)


def test_two_instances_lose_and_double_nothing(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    """The older one goes on when the newer one ends, and the log says why. After a conflict only one polls a second."""
    older, newer = (tmp_path / name / "instances" for name in ("older", "newer"))  # one name is one token
    for folder in (older, newer):
        folder.mkdir(parents=True)
    with start_bot(older) as token:
        with start_bot(newer):
            wait_until(lambda: SENTENCE in (older / "log").read_text())
            for level in (84, 85):
                conflicts = count_conflicts(telegram, token)
                telegram.wait_for(lambda before=conflicts: count_conflicts(telegram, token) > before)
                asks(telegram.person(token), level)
            wait_until(lambda: SENTENCE in (newer / "log").read_text())
        asks(telegram.person(token), 86)
    assert [folder.name for folder in (older, newer) if not has_one_line(folder)] == []


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
    assert has_one_line(tmp_path)
