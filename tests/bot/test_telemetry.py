"""The bot's log: secrets are written as the name of their variable."""

from __future__ import annotations

import logging

import httpx
from prometheus_client import REGISTRY, start_http_server
from telegram.error import NetworkError

from bot.telemetry import LogFormatter
from tests.processes import free_port

SECRETS = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key"}


def line(message: str, error: Exception | None = None, level: int = logging.INFO) -> str:
    info = (type(error), error, None) if error else None
    return LogFormatter(SECRETS).format(logging.LogRecord("bot", level, "bot.py", 1, message, (), info))


def test_a_secret_appears_by_name_at_every_level():
    """Also in an address, a header and the message of an error."""
    for level in (logging.DEBUG, logging.INFO, logging.ERROR):
        text = line("GET https://x/bot123:token/getMe X-API-Key: nf_live_key", ValueError("nf_live_key"), level)
        assert "123:token" not in text
        assert "nf_live_key" not in text
        assert text.count("BOT_ORACLE_KEY") == 2
        assert "bot" + "TELEGRAM_BOT_TOKEN" in text


def test_an_error_of_telegram_is_one_line():
    assert line("down", NetworkError("Bad Gateway")).splitlines()[1:] == ["NetworkError: Bad Gateway"]


QUESTION = "Will Bitcoin be above $60k at the end of the month?"


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_updates_are_counted_by_kind(ann):
    before = {kind: value("bot_updates_total", kind=kind) for kind in ("command", "message", "button")}
    ann.says("/price")
    ann.presses("Gold")
    ann.says(QUESTION)
    assert {kind: value("bot_updates_total", kind=kind) - count for kind, count in before.items()} == {
        "command": 1,
        "message": 1,
        "button": 1,
    }


def test_an_answer_and_its_time_are_counted(ann):
    before = value("bot_answer_seconds_count")
    ann.says(QUESTION)
    assert value("bot_answer_seconds_count") == before + 1


def test_a_failure_is_counted_by_its_error(start):
    before = value("bot_failures_total", error="ConnectionFailed")
    start(oracle_url=f"http://127.0.0.1:{free_port()}").person().says("/price")
    assert value("bot_failures_total", error="ConnectionFailed") == before + 1


def test_they_are_served_on_this_machine():
    port = free_port()
    start_http_server(port, "127.0.0.1")
    assert "bot_updates_total" in httpx.get(f"http://127.0.0.1:{port}/metrics").text
