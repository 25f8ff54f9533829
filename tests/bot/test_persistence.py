"""A conversation goes on where it was after a restart: the real Application over the bot's own file."""

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
    """Telegram as far as a bot that only listens needs it."""

    read_timeout = 1.0

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def do_request(self, url, method, request_data=None, **timeouts) -> tuple[int, bytes]:
        me = {"id": 1, "is_bot": True, "first_name": "Bot", "username": "bot"}
        return 200, json.dumps({"ok": True, "result": me}).encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bot.sqlite"


def said(text: str, user: int = ANN) -> dict:
    """A message in a private chat, as Telegram sends it."""
    commands = [{"type": "bot_command", "offset": 0, "length": len(text)}] if text.startswith("/") else []
    person = {"id": user, "is_bot": False, "first_name": "Ann"}
    chat = {"id": user, "type": "private", "first_name": "Ann"}
    message = {"message_id": 1, "date": 1, "chat": chat, "from": person, "text": text, "entities": commands}
    return {"update_id": 1, "message": message}


def live(file: Path, *texts: str, user: int = ANN) -> list[str]:
    """What a bot that is started, hears these texts and is stopped understood of them."""
    heard: list[str] = []

    def step(name: str, after: int):
        async def handle(update: Update, _context) -> int:
            heard.append(f"{name} {update.message.text}")
            return after

        return handle

    talk = ConversationHandler(
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
        application.add_handler(talk)
        async with application:
            for text in texts:
                await application.process_update(Update.de_json(said(text, user), application.bot))
        store.close()

    asyncio.run(run())
    return heard


def kept(file: Path) -> dict:
    store = Store(file, lambda: NOW)
    found = store.conversations("challenge")
    store.close()
    return found


def test_a_conversation_goes_on_after_a_restart_at_every_step(file):
    assert live(file, "/challenge") == ["begun /challenge"]
    assert live(file, "Will gold rise?") == ["question Will gold rise?"]
    assert live(file, "2026-12-31") == ["date 2026-12-31"]


def test_a_conversation_that_is_over_leaves_nothing(file):
    live(file, "/challenge", "Will gold rise?")
    assert kept(file) == {(ANN, ANN): DATE}
    live(file, "2026-12-31")
    assert kept(file) == {}
    assert live(file, "Will gold rise?") == []


def test_conversations_of_two_persons_do_not_meet(file):
    live(file, "/challenge", "Will gold rise?", user=ANN)
    live(file, "/challenge", user=BEN)
    assert kept(file) == {(ANN, ANN): DATE, (BEN, BEN): QUESTION}
    assert live(file, "2026-12-31", user=BEN) == ["question 2026-12-31"]


def test_a_step_is_written_while_the_bot_runs_and_not_only_when_it_stops(file):
    """A bot that is killed has no time to write."""
    persistence = StorePersistence(Store(file, lambda: NOW))
    assert persistence.update_interval <= 1
    asyncio.run(persistence.update_conversation("challenge", (ANN, ANN), DATE))
    assert kept(file) == {(ANN, ANN): DATE}


def test_nothing_but_conversations_is_kept(file):
    told = StorePersistence(Store(file, lambda: NOW)).store_data
    assert not any((told.user_data, told.chat_data, told.bot_data, told.callback_data))
