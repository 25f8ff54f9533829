"""Every option of the service in one frozen object; the only reader of the environment.

`python -m service.config` prints the table that the README shows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo

from service.errors import NinefoldError


class SettingsError(NinefoldError):
    """An option in the environment cannot be used; says which, and what it may hold."""

    code = "settings"


def _instant(value: object) -> object:
    """A date or an ISO 8601 instant; without an offset it is UTC."""
    if not isinstance(value, str):
        return value
    instant = datetime.fromisoformat(value)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _names(value: object) -> object:
    """`kraken, coinbase` as a tuple of names."""
    if not isinstance(value, str):
        return value
    return tuple(name.strip() for name in value.split(",") if name.strip())


Instant = Annotated[datetime, BeforeValidator(_instant)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


# The seats of which each can be a language model, and the variables in which providers' keys are usually kept.
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
PROVIDERS = ("openai", "anthropic", "gemini", "deepseek", "xai", "mistral", "groq", "openrouter")


class Seat(BaseModel):
    """What is set for one seat, as ORACLE_<SEAT>_MODEL, …; whatever is empty was not set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field("", description="the same for one seat alone, as `ORACLE_MOMENTUM_MODEL`; `embedded`: none")
    base_url: str = Field("", description="address of a server of your own for that seat, as `http://host:8080/v1`")
    api_key: SecretStr = Field(SecretStr(""), description="key for that seat alone")


class Settings(BaseModel):
    """What the environment may set. The name of an option is the field's name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address the service listens on")
    port: int = Field(8000, ge=1, le=65535, description="port the service listens on")
    data_dir: Path = Field(Path("var"), description="folder of the database and the secrets made at first start")
    database_url: str = Field(
        "", repr=False, description="PostgreSQL or SQLite address; empty: `DATA_DIR/WORLD.sqlite`"
    )
    redis_url: SecretStr = Field(SecretStr(""), description="Redis for short limits and jobs; empty: in this process")
    broker_url: SecretStr = Field(
        SecretStr(""), description="`amqp://…` or `redis://…` to ring jobs; empty: `REDIS_URL`"
    )
    key_secret: SecretStr = Field(
        SecretStr(""), description="secret that API keys are hashed with; empty: made once in `DATA_DIR/key-secret`"
    )

    ledger_key: SecretStr = Field(
        SecretStr(""), description="hex seed of the ledger's signing key; empty: made once in `DATA_DIR/ledger-key`"
    )

    world: Literal["simulated", "replay", "live"] = Field(
        "simulated", description="where prices come from: `simulated`, `replay` or `live`"
    )
    history_days: int = Field(240, ge=60, le=1500, description="days of bars before the first start (simulated, live)")
    simulated_seed: int = Field(42, ge=0, lt=2**31, description="seed of the simulated market")
    replay_dir: Path | None = Field(None, description="folder of `btc.csv`, `eth.csv`, … for `WORLD=replay`")
    replay_start: Instant | None = Field(
        None, description="date or instant at which a replay starts to run; empty: 60 days before its end"
    )
    world_speed: float = Field(60.0, gt=0, le=86400, description="world seconds per wall second in a replay")
    exchanges: Names = Field(("kraken", "coinbase", "binance"), description="exchanges of `WORLD=live`, in order")
    pools_url: str = Field("https://yields.llama.fi/pools", description="where `WORLD=live` asks for liquidity pools")
    polymarket_url: str = Field("https://gamma-api.polymarket.com", description="Polymarket's API for `WORLD=live`")
    kalshi_url: str = Field(
        "https://api.elections.kalshi.com/trade-api/v2", description="Kalshi's API for `WORLD=live`"
    )
    news_feeds: Names = Field(
        (
            "https://www.coindesk.com/arc/outboundfeeds/rss/",
            "https://cointelegraph.com/rss",
            "https://decrypt.co/feed",
            "https://cryptoslate.com/feed/",
        ),
        description="addresses of RSS feeds for `WORLD=live`",
    )
    source_timeout_s: float = Field(20.0, gt=0, le=120, description="seconds for one whole call to an outside source")

    threads: int = Field(64, ge=4, le=512, description="requests answered at once by one process")
    oracle_concurrency: int = Field(24, ge=1, le=256, description="questions answered at once by a process; more: 503")
    oracle_quorum: int = Field(5, ge=1, le=9, description="fewest votes that make an answer; below: 503, not counted")
    oracle_model: str = Field(
        "", description="`provider:model` in all six seats, as `ollama:llama3.2`; empty: the embedded engines"
    )
    oracle_seats: dict[Literal[SEATS], Seat] = Field({}, description="seats that differ, by name")
    provider_keys: dict[Literal[PROVIDERS], SecretStr] = Field({}, description="keys of known providers")
    oracle_deadline_s: float = Field(20.0, ge=0.5, le=60, description="seconds a language model has for its vote")
    oracle_on_failure: Literal["fallback", "abstain"] = Field(
        "fallback", description="when a model gives no vote: its embedded engine speaks, or the seat abstains"
    )
    oracle_daily_tokens: int | None = Field(
        None, ge=0, description="tokens that all models may use on a UTC day; empty: no cap"
    )
    oracle_daily_usd: float | None = Field(
        None, ge=0, description="USD that all models may cost on a UTC day, at list prices; empty: no cap"
    )
    trusted_proxies: int = Field(0, ge=0, le=5, description="reverse proxies whose `X-Forwarded-For` is believed")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least severe line logged")

    @model_validator(mode="after")
    def _replay_has_a_folder(self) -> Settings:
        if self.world == "replay" and self.replay_dir is None:
            raise ValueError("WORLD=replay needs REPLAY_DIR, a folder of CSV files named for their assets")
        return self

    @property
    def database(self) -> str:
        """The SQLAlchemy address of the database. Each world keeps its own file, so they cannot mix."""
        if not self.database_url:
            return f"sqlite:///{self.data_dir.resolve() / self.world}.sqlite"
        return self.database_url.replace("postgresql://", "postgresql+psycopg://", 1)

    @property
    def broker(self) -> str:
        """The address the jobs are rung through; empty for this process alone."""
        return self.broker_url.get_secret_value() or self.redis_url.get_secret_value()


def read(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment; an empty variable is one that is not set.

    Raises SettingsError that names every variable it cannot use.
    """
    values = os.environ if environment is None else environment
    alone = Settings.model_fields.keys() - {"oracle_seats", "provider_keys"}
    known = {name: values[name.upper()] for name in alone if values.get(name.upper())}
    seats = {seat: _seat(seat, values) for seat in SEATS}
    keys = {provider: values.get(f"{provider.upper()}_API_KEY", "") for provider in PROVIDERS}
    try:
        return Settings(**known, oracle_seats=_set(seats), provider_keys=_set(keys))
    except ValidationError as error:
        raise SettingsError("; ".join(_complaint(fault) for fault in error.errors())) from None


def _seat(seat: str, values: Mapping[str, str]) -> dict[str, str]:
    return _set({part: values.get(f"ORACLE_{seat}_{part}".upper(), "") for part in Seat.model_fields})


def _set(options: Mapping[str, Any]) -> dict[str, Any]:
    """What is not empty."""
    return {name: value for name, value in options.items() if value}


def _complaint(fault) -> str:
    name = ".".join(str(part) for part in fault["loc"]).upper()
    return f"{name}: {fault['msg']}" if name else fault["msg"].removeprefix("Value error, ")


def table() -> str:
    """The options as a Markdown table."""
    lines = ["| option | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        lines += [f"| {option} | {_default(default)} | {meaning} |" for option, default, meaning in _rows(name, field)]
    return "\n".join(lines)


def _rows(name: str, field: FieldInfo) -> list[tuple[str, Any, str]]:
    """The rows of a field: those of a seat once for all six, and all providers' keys in one."""
    if name == "oracle_seats":
        parts = Seat.model_fields.items()
        return [(f"`ORACLE_<SEAT>_{part.upper()}`", told.default, told.description) for part, told in parts]
    if name == "provider_keys":
        names = ", ".join(f"`{provider.upper()}_API_KEY`" for provider in PROVIDERS)
        return [(names, "", "keys of the providers whose models are chosen")]
    return [(f"`{name.upper()}`", field.default, field.description)]


def _default(value: object) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, tuple):
        value = ",".join(value)
    return f"`{value}`" if value not in ("", None) else ""


if __name__ == "__main__":
    print(table())
