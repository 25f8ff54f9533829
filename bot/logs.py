"""The bot's log: an error of Telegram is one line, and the bot's token never appears."""

from __future__ import annotations

import logging
from types import TracebackType

from telegram.error import TelegramError

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LogFormatter(logging.Formatter):
    """Hides `token`, and writes Telegram's errors, which are frequent while it cannot be reached, without traceback."""

    def __init__(self, token: str) -> None:
        super().__init__(FORMAT)
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace(self._token, "TOKEN")

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802
        return f"{type(ei[1]).__name__}: {ei[1]}" if isinstance(ei[1], TelegramError) else super().formatException(ei)


def configure(token: str) -> None:
    """Write the log to standard error from INFO on."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter(token))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for library in ("httpx", "apscheduler"):  # at INFO they log every request and every run
        logging.getLogger(library).setLevel(logging.WARNING)
