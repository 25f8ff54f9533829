"""The bot's settings, read once from the environment; no other module of the bot reads the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

TOKEN = "TELEGRAM_BOT_TOKEN"  # noqa: S105
KEY = "BOT_ORACLE_KEY"
MINT = ".venv/bin/python -m service.operator keys mint --delegating --email you@example.com"
SECRET = re.compile("[A-Za-z0-9_-]{1,256}")


class BotSettingsError(Exception):
    """A setting is missing or invalid; the message names it in one sentence."""


@dataclass(frozen=True)
class BotSettings:
    """Every setting, under its field's name in capitals; `oracle_key` is BOT_ORACLE_KEY. A port of 0 is not opened."""

    telegram_bot_token: str = field(repr=False)
    oracle_key: str = field(repr=False)
    oracle_url: str = "http://127.0.0.1:8000"
    bot_data: Path = Path("var")
    bot_home_url: str = ""
    bot_webhook_url: str = ""
    bot_webhook_port: int = 8443
    bot_webhook_secret: str = field(default="", repr=False)
    bot_metrics_port: int = 0
    telegram_url: str = "https://api.telegram.org/bot"

    @property
    def home(self) -> str:
        """The address that links begin with; empty if there is none that Telegram would open."""
        address = self.bot_home_url or self.oracle_url
        return address.rstrip("/") if self.bot_home_url or address.startswith("https://") else ""

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets that are set, by the name of their variable."""
        secrets = {TOKEN: self.telegram_bot_token, KEY: self.oracle_key, "BOT_WEBHOOK_SECRET": self.bot_webhook_secret}
        return {name: secret for name, secret in secrets.items() if secret}


def read(environment: Mapping[str, str] | None = None) -> BotSettings:
    """Settings from the environment; an empty variable counts as not set. Raises BotSettingsError."""
    values = os.environ if environment is None else environment
    if not values.get(TOKEN):
        raise BotSettingsError(f"{TOKEN} is not set. Send /newbot to @BotFather on Telegram to get a token.")
    if not values.get(KEY):
        raise BotSettingsError(f"{KEY} is not set. Create a key with this command, run on the service's host: {MINT}")
    texts = ("oracle_url", "bot_home_url", "bot_webhook_url", "bot_webhook_secret", "telegram_url")
    settings = BotSettings(
        values[TOKEN],
        values[KEY],
        bot_data=Path(values.get("BOT_DATA") or BotSettings.bot_data),
        bot_webhook_port=_port(values, "BOT_WEBHOOK_PORT", BotSettings.bot_webhook_port),
        bot_metrics_port=_port(values, "BOT_METRICS_PORT", BotSettings.bot_metrics_port),
        **{name: values[name.upper()] for name in texts if values.get(name.upper())},
    )
    for name in ("oracle_url", "bot_home_url", "telegram_url", "bot_webhook_url"):
        value = getattr(settings, name)
        parts = urlsplit(value)
        if value and not (parts.scheme in ("http", "https") and parts.hostname):
            raise BotSettingsError(f"{name.upper()} is {value!r}, not a web address such as https://example.com/bot.")
    if settings.bot_webhook_url and not SECRET.fullmatch(settings.bot_webhook_secret):
        raise BotSettingsError(
            "BOT_WEBHOOK_SECRET must be 1 to 256 letters, digits, _ and -; BOT_WEBHOOK_URL needs it to recognize "
            "updates that Telegram sent."
        )
    return settings


def _port(values: Mapping[str, str], name: str, default: int) -> int:
    value = values.get(name)
    if not value:
        return default
    if value.isdecimal() and 1 <= int(value) <= 65535:
        return int(value)
    raise BotSettingsError(f"{name} is {value!r}, not a port number from 1 to 65535.")
