"""What the environment sets for the bot, in one frozen object; the only reader of the environment here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

TOKEN = "TELEGRAM_BOT_TOKEN"  # noqa: S105
KEY = "BOT_ORACLE_KEY"
MINT = "python -m service.operator keys mint --delegating --email you@example.com"
SECRET = re.compile("[A-Za-z0-9_-]{1,256}")


class SettingsError(Exception):
    """An option is missing or cannot be used; says which, in one sentence."""


@dataclass(frozen=True)
class Settings:
    """What a bot needs to start.

    `oracle_key` is a delegating key of the service at `oracle_url`. With a `bot_webhook_url` Telegram brings updates
    there, past a proxy to `bot_webhook_port` of this machine; without one the bot asks for them. What the bot keeps of
    its own lies in the folder `bot_data`.
    """

    telegram_bot_token: str = field(repr=False)
    oracle_key: str = field(repr=False)
    oracle_url: str = "http://127.0.0.1:8000"
    bot_data: Path = Path("var")
    bot_webhook_url: str = ""
    bot_webhook_port: int = 8443
    bot_webhook_secret: str = field(default="", repr=False)
    telegram_url: str = "https://api.telegram.org/bot"


def read(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment; an empty variable is one that is not set. Raises SettingsError."""
    values = os.environ if environment is None else environment
    if not values.get(TOKEN):
        raise SettingsError(f"{TOKEN} is not set: send /newbot to @BotFather on Telegram and set what it gives you.")
    if not values.get(KEY):
        raise SettingsError(f"{KEY} is not set: the key that this command prints, beside the service, is one: {MINT}")
    plain = ("oracle_url", "bot_webhook_url", "bot_webhook_secret", "telegram_url")
    known = {name: values[name.upper()] for name in plain if values.get(name.upper())}
    settings = Settings(
        values[TOKEN],
        values[KEY],
        bot_data=Path(values.get("BOT_DATA") or Settings.bot_data),
        bot_webhook_port=_port(values.get("BOT_WEBHOOK_PORT") or Settings.bot_webhook_port),
        **known,
    )
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    for name in ("oracle_url", "telegram_url", "bot_webhook_url"):
        value = getattr(settings, name)
        if value and not _is_address(value):
            raise SettingsError(f"{name.upper()} is {value!r}, which is no address such as https://example.com/bot.")
    if settings.bot_webhook_url and not SECRET.fullmatch(settings.bot_webhook_secret):
        raise SettingsError(
            "BOT_WEBHOOK_SECRET must be 1 to 256 letters, digits, _ and -: with BOT_WEBHOOK_URL it tells Telegram's "
            "updates from those of others."
        )


def _is_address(value: str) -> bool:
    parts = urlsplit(value)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _port(value: str | int) -> int:
    if str(value).isdecimal() and 1 <= int(value) <= 65535:
        return int(value)
    raise SettingsError(f"BOT_WEBHOOK_PORT is {value!r}, which is no port from 1 to 65535.")
