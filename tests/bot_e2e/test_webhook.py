"""A bot to which Telegram comes, instead of being asked."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.bot_e2e.chats import Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import free_port

SECRET = "only-telegram-knows"
FORGED = {
    "update_id": 1,
    "message": {"message_id": 1, "date": 0, "chat": {"id": 5, "type": "private"}, "text": "/help"},
}


def test_a_webhook_answers_telegram_and_nobody_else(start_bot: StartBot, telegram: Telegram, tmp_path: Path):
    port = free_port()
    settings = {
        "BOT_WEBHOOK_URL": f"http://127.0.0.1:{port}/telegram",
        "BOT_WEBHOOK_PORT": str(port),
        "BOT_WEBHOOK_SECRET": SECRET,
    }
    with start_bot(tmp_path, **settings) as token:
        (address,) = telegram.wait_for(
            lambda: {one.values["url"] for one in telegram.calls if (one.bot, one.method) == (token, "setWebhook")}
        )
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "guessed"}):
            assert httpx.post(address, json=FORGED, headers=headers).status_code == 403
        person = telegram.person(token)
        person.says("/help")
        person.reads("/lanes")
        assert {one.chat for one in telegram.calls if one.bot == token} <= {0, person.id}
