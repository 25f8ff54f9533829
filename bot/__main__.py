"""`python -m bot`: run the bot until it is stopped, with long polling or, where one is set, with a webhook."""

from __future__ import annotations

import fcntl
import logging
import sys
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from dotenv import load_dotenv
from prometheus_client import start_http_server
from telegram import Update
from telegram.error import InvalidToken, NetworkError
from telegram.ext import Application

from bot import telemetry
from bot.application import build
from bot.settings import TOKEN, BotSettings, BotSettingsError, read

LOG = logging.getLogger("bot")

UPDATE_TYPES = [Update.MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER]
UPDATE_TYPES += [Update.INLINE_QUERY, Update.CHOSEN_INLINE_RESULT]
START_RETRIES = 10  # of the first connection to Telegram, over 100 seconds: a machine may start before its network


def main() -> int:
    """Run the bot; an invalid setting is reported in one sentence and ends it with exit code 2.

    The exit code is 1 if Telegram cannot be reached in the first 100 seconds, or the port of the metrics is taken.
    """
    load_dotenv(".env")
    try:
        settings = read()
    except BotSettingsError as error:
        print(f"bot: {error}", file=sys.stderr)
        return 2
    telemetry.configure(settings.secrets)
    lock = _locked(settings.bot_data)
    try:
        if settings.bot_metrics_port:
            start_http_server(settings.bot_metrics_port, "127.0.0.1")
    except OSError as error:
        print(f"bot: BOT_METRICS_PORT {settings.bot_metrics_port} cannot be opened: {error}", file=sys.stderr)
        return 1
    LOG.info("connecting to %s; questions go to %s", settings.telegram_url.removesuffix("/bot"), settings.oracle_url)
    try:
        with lock:
            run(build(settings), settings)
    except InvalidToken:
        print(f"bot: Telegram rejects {TOKEN}. @BotFather shows the bot's present token.", file=sys.stderr)
        return 2
    except NetworkError as error:
        print(f"bot: Telegram cannot be reached at {settings.telegram_url}: {error}", file=sys.stderr)
        return 1
    return 0


def _locked(folder: Path) -> TextIO:
    """The lock of a folder, which ends with the process; two bots in one folder would deliver an answer twice."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "bot.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        LOG.warning("another bot uses BOT_DATA %s; this one starts when it ends", folder)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def run(application: Application, settings: BotSettings) -> None:
    """Receive updates: by webhook where `bot_webhook_url` is set, else by long polling."""
    if not settings.bot_webhook_url:
        application.run_polling(allowed_updates=UPDATE_TYPES, bootstrap_retries=START_RETRIES)
        return
    application.run_webhook(
        listen="0.0.0.0",  # noqa: S104
        port=settings.bot_webhook_port,
        url_path=urlsplit(settings.bot_webhook_url).path.lstrip("/"),
        webhook_url=settings.bot_webhook_url,
        secret_token=settings.bot_webhook_secret,
        allowed_updates=UPDATE_TYPES,
        bootstrap_retries=START_RETRIES,
    )


if __name__ == "__main__":
    sys.exit(main())
