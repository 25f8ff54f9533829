"""A bot that receives its updates by webhook."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.bot_e2e.chats import Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import free_port

pytestmark = pytest.mark.slow

SECRET = "only-telegram-knows"
FORGERY = {
    "update_id": 1,
    "message": {"message_id": 1, "date": 0, "chat": {"id": 5, "type": "private"}, "text": "/help"},
}


def test_the_webhook_accepts_updates_of_telegram_only(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    port = free_port()
    settings = {
        "BOT_WEBHOOK_URL": f"http://127.0.0.1:{port}/telegram",
        "BOT_WEBHOOK_PORT": str(port),
        "BOT_WEBHOOK_SECRET": SECRET,
    }
    with start_bot(tmp_path, **settings) as token:
        (address,) = telegram.wait_for(
            lambda: {call.values["url"] for call in telegram.calls if (call.bot, call.method) == (token, "setWebhook")}
        )
        # The bot tells Telegram its address a moment before it listens there; Telegram tries again, and so does this.
        with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as web:
            for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "guessed"}):
                assert web.post(address, json=FORGERY, headers=headers).status_code == 403
        person = telegram.person(token)
        person.says("/help")
        person.reads("/lanes")
        assert {call.chat for call in telegram.calls if call.bot == token} <= {0, person.id}
