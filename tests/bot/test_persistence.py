"""A conversation continues after a restart: the real Application over the bot's database."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from telegram import Update
from telegram.ext import Application, CommandHandler, ConversationHandler, MessageHandler, filters
from telegram.request import BaseRequest

from bot.persistence import StorePersistence
from bot.store import Store

ANN, BEN = 11, 22
QUESTION, DATE = range(2)
NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


class Telegram(BaseRequest):
    """Telegram for a bot that sends nothing."""

    read_timeout = 1.0

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def do_request(self, url, method, request_data=None, **timeouts) -> tuple[int, bytes]:
        me = {"id": 1, "is_bot": True, "first_name": "Bot", "username": "bot"}
        return 200, json.dumps({"ok": True, "result": me}).encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bot.sqlite"


def update(text: str, user: int = ANN) -> dict:
    """An update with a message in a private chat."""
    commands = [{"type": "bot_command", "offset": 0, "length": len(text)}] if text.startswith("/") else []
    person = {"id": user, "is_bot": False, "first_name": "Ann"}
    chat = {"id": user, "type": "private", "first_name": "Ann"}
    message = {"message_id": 1, "date": 1, "chat": chat, "from": person, "text": text, "entities": commands}
    return {"update_id": 1, "message": message}


def run_bot(file: Path, *texts: str, user: int = ANN) -> list[str]:
    """The steps that a bot handles that is started, receives these texts and is stopped."""
    steps: list[str] = []

    def step(name: str, after: int):
        async def handle(received: Update, _context) -> int:
            steps.append(f"{name} {received.message.text}")
            return after

        return handle

    conversation = ConversationHandler(
        [CommandHandler("challenge", step("begun", QUESTION))],
        {
            QUESTION: [MessageHandler(filters.TEXT & ~filters.COMMAND, step("question", DATE))],
            DATE: [MessageHandler(filters.TEXT & ~filters.COMMAND, step("date", ConversationHandler.END))],
        },
        [],
        name="challenge",
        persistent=True,
    )

    async def run() -> None:
        store = Store(file, lambda: NOW)
        builder = Application.builder().token("1:token").request(Telegram()).get_updates_request(Telegram())
        application = builder.persistence(StorePersistence(store)).job_queue(None).updater(None).build()
        application.add_handler(conversation)
        async with application:
            for text in texts:
                await application.process_update(Update.de_json(update(text, user), application.bot))
        store.close()

    asyncio.run(run())
    return steps


def saved_steps(file: Path) -> dict:
    store = Store(file, lambda: NOW)
    conversations = store.conversations("challenge")
    store.close()
    return conversations


def test_a_conversation_survives_a_restart_at_every_step(file):
    assert run_bot(file, "/challenge") == ["begun /challenge"]
    assert run_bot(file, "Will gold rise?") == ["question Will gold rise?"]
    assert run_bot(file, "2026-12-31") == ["date 2026-12-31"]


def test_a_finished_conversation_leaves_nothing(file):
    run_bot(file, "/challenge", "Will gold rise?")
    assert saved_steps(file) == {(ANN, ANN): DATE}
    run_bot(file, "2026-12-31")
    assert saved_steps(file) == {}
    assert run_bot(file, "Will gold rise?") == []


def test_conversations_of_two_people_are_separate(file):
    run_bot(file, "/challenge", "Will gold rise?", user=ANN)
    run_bot(file, "/challenge", user=BEN)
    assert saved_steps(file) == {(ANN, ANN): DATE, (BEN, BEN): QUESTION}
    assert run_bot(file, "2026-12-31", user=BEN) == ["question 2026-12-31"]


def test_a_step_is_written_within_a_second(file):
    """A killed bot has no time to write."""
    persistence = StorePersistence(Store(file, lambda: NOW))
    assert persistence.update_interval <= 1
    asyncio.run(persistence.update_conversation("challenge", (ANN, ANN), DATE))
    assert saved_steps(file) == {(ANN, ANN): DATE}


def test_only_conversations_are_saved_steps(file):
    stored = StorePersistence(Store(file, lambda: NOW)).store_data
    assert not any((stored.user_data, stored.chat_data, stored.bot_data, stored.callback_data))
