"""The bot's log: secrets are written as the name of their variable."""

from __future__ import annotations

import logging

from telegram.error import NetworkError

from bot.logs import LogFormatter

SECRETS = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key"}


def line(message: str, error: Exception | None = None, level: int = logging.INFO) -> str:
    info = (type(error), error, None) if error else None
    return LogFormatter(SECRETS).format(logging.LogRecord("bot", level, "bot.py", 1, message, (), info))


def test_a_secret_appears_by_name_at_every_level():
    """Also in an address, a header and the message of an error."""
    for level in (logging.DEBUG, logging.INFO, logging.ERROR):
        written = line("GET https://x/bot123:token/getMe X-API-Key: nf_live_key", ValueError("nf_live_key"), level)
        assert "123:token" not in written
        assert "nf_live_key" not in written
        assert written.count("BOT_ORACLE_KEY") == 2
        assert "bot" + "TELEGRAM_BOT_TOKEN" in written


def test_an_error_of_telegram_is_one_line():
    assert line("down", NetworkError("Bad Gateway")).splitlines()[1:] == ["NetworkError: Bad Gateway"]
