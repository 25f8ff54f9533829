"""The settings: required ones, defaults, and errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot import settings
from bot.settings import BotSettings, BotSettingsError

ROOT = Path(__file__).parents[2]
MINIMUM = {"TELEGRAM_BOT_TOKEN": "123:token", "BOT_ORACLE_KEY": "nf_live_key"}


def test_a_token_and_a_key_are_enough():
    assert settings.read(MINIMUM) == BotSettings("123:token", "nf_live_key")


def test_every_setting_can_be_set():
    values = {
        "ORACLE_URL": "https://oracle.example",
        "BOT_DATA": "/srv/bot",
        "BOT_WEBHOOK_URL": "https://bot.example/telegram",
        "BOT_WEBHOOK_PORT": "9000",
        "BOT_WEBHOOK_SECRET": "s3cret",
        "TELEGRAM_URL": "http://127.0.0.1:9/bot",
    }
    read = settings.read(MINIMUM | values)
    assert {name: str(getattr(read, name.lower())) for name in values} == values


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"TELEGRAM_BOT_TOKEN": ""}, "TELEGRAM_BOT_TOKEN is not set"),
        ({"BOT_ORACLE_KEY": ""}, "python -m service.operator keys mint --delegating"),
        ({"ORACLE_URL": "localhost:8000"}, "ORACLE_URL"),
        ({"ORACLE_URL": "ftp://example.com"}, "ORACLE_URL"),
        ({"TELEGRAM_URL": "nonsense"}, "TELEGRAM_URL"),
        ({"BOT_WEBHOOK_PORT": "0"}, "BOT_WEBHOOK_PORT"),
        ({"BOT_WEBHOOK_PORT": "ninety"}, "BOT_WEBHOOK_PORT"),
        ({"BOT_METRICS_PORT": "65536"}, "BOT_METRICS_PORT"),
        ({"BOT_WEBHOOK_URL": "https://bot.example"}, "BOT_WEBHOOK_SECRET"),
        ({"BOT_WEBHOOK_URL": "https://bot.example", "BOT_WEBHOOK_SECRET": "not this one"}, "BOT_WEBHOOK_SECRET"),
    ],
)
def test_an_invalid_setting_is_named(changes, error):
    with pytest.raises(BotSettingsError) as refusal:
        settings.read(MINIMUM | changes)
    assert error in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_secrets_are_not_shown_by_repr():
    reply = repr(settings.read(MINIMUM | {"BOT_WEBHOOK_SECRET": "s3cret"}))
    assert not [secret for secret in ("123:token", "nf_live_key", "s3cret") if secret in reply]


def test_a_missing_token_ends_the_bot_with_a_sentence():
    environment = {name: value for name, value in os.environ.items() if name not in MINIMUM}
    done = subprocess.run(
        [sys.executable, "-m", "bot"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("bot: TELEGRAM_BOT_TOKEN is not set")
    assert done.stderr.count("\n") == 1
