"""The bot's log: an error of Telegram is one line, and no secret of the bot ever appears."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType

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
