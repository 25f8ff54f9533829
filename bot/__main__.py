"""`python -m bot`: run until it is told to stop; updates are asked for, or come by a webhook where one is set."""

from __future__ import annotations

import logging
import sys
from urllib.parse import urlsplit

from telegram import Update
from telegram.ext import Application

from bot.application import build
from bot.settings import Settings, SettingsError, read

WANTED = [Update.MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER]


def main() -> int:
    """Run the bot; what is missing is one sentence and exit code 2."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for talkative in ("httpx", "apscheduler"):  # a line for each request, with the token in its address
        logging.getLogger(talkative).setLevel(logging.WARNING)
    try:
        settings = read()
    except SettingsError as error:
        print(f"bot: {error}", file=sys.stderr)
        return 2
    run(build(settings), settings)
    return 0


def run(application: Application, settings: Settings) -> None:
    """Ask Telegram for updates, or listen for them."""
    if not settings.bot_webhook_url:
        application.run_polling(allowed_updates=WANTED)
        return
    application.run_webhook(
        listen="0.0.0.0",  # noqa: S104
        port=settings.bot_webhook_port,
        url_path=urlsplit(settings.bot_webhook_url).path.lstrip("/"),
        webhook_url=settings.bot_webhook_url,
        secret_token=settings.bot_webhook_secret,
        allowed_updates=WANTED,
    )


if __name__ == "__main__":
    sys.exit(main())
