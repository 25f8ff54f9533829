"""The bot's log, in which no secret appears, and its metrics for Prometheus."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType

from prometheus_client import Counter, Gauge, Histogram
from telegram import Update
from telegram.error import TelegramError

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LogFormatter(logging.Formatter):
    """Writes the name of a secret in its place, and Telegram's errors, frequent while it is down, without traceback."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        super().__init__(FORMAT)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for name, secret in self._secrets.items():
            line = line.replace(secret, name)
        return line

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802
        return f"{type(ei[1]).__name__}: {ei[1]}" if isinstance(ei[1], TelegramError) else super().formatException(ei)


def configure(secrets: Mapping[str, str]) -> None:
    """Write the log to standard error from INFO on, without the `secrets`, which are given by name."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter(secrets))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for library in ("httpx", "apscheduler"):  # at INFO they log every request and every run
        logging.getLogger(library).setLevel(logging.WARNING)


UPDATES = Counter("bot_updates_total", "Updates that Telegram sent.", ["kind"])
ANSWERS = Histogram(
    "bot_answer_seconds",
    "From a question to its delivered answer.",
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60),
)
FAILURES = Counter("bot_failures_total", "Updates that ended with an error.", ["error"])
ALERTS = Counter("bot_alerts_total", "Alerts that were sent, put back or lost.", ["outcome"])
QUEUE = Gauge("bot_alerts_waiting", "Alerts that were due at the last pass over the queue.")


async def count(update: Update, _context: object) -> None:
    """Before every other handler: count an update by its kind."""
    UPDATES.labels(_kind(update)).inc()


def _kind(update: Update) -> str:
    if update.message is not None:
        return "command" if (update.message.text or "").startswith("/") else "message"
    if update.callback_query is not None:
        return "button"
    return "inline" if update.inline_query is not None else "other"
