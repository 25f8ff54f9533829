"""`python -m bot`: run the bot until it is stopped, with long polling or, where one is set, with a webhook."""

from __future__ import annotations

import logging
import sys
from urllib.parse import urlsplit

from telegram import Update
from telegram.ext import Application

from bot.application import build
from bot.settings import BotSettings, BotSettingsError, read

UPDATE_TYPES = [Update.MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER]


def main() -> int:
    """Run the bot; an invalid setting is reported in one sentence and ends it with exit code 2."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for library in ("httpx", "apscheduler"):  # at INFO, httpx logs every request with the bot's token in the URL
        logging.getLogger(library).setLevel(logging.WARNING)
    try:
        settings = read()
    except BotSettingsError as error:
        print(f"bot: {error}", file=sys.stderr)
        return 2
    run(build(settings), settings)
    return 0


def run(application: Application, settings: BotSettings) -> None:
    """Receive updates: by webhook where `bot_webhook_url` is set, else by long polling."""
    if not settings.bot_webhook_url:
        application.run_polling(allowed_updates=UPDATE_TYPES)
        return
    application.run_webhook(
        listen="0.0.0.0",  # noqa: S104
        port=settings.bot_webhook_port,
        url_path=urlsplit(settings.bot_webhook_url).path.lstrip("/"),
        webhook_url=settings.bot_webhook_url,
        secret_token=settings.bot_webhook_secret,
        allowed_updates=UPDATE_TYPES,
    )


if __name__ == "__main__":
    sys.exit(main())
