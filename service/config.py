"""Every option of the service in one immutable object; the only reader of the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from service.errors import NinefoldError
from service.ledger.timestamps import read_certificates


class SettingsError(NinefoldError):
    """An option in the environment is invalid; the message names it and the allowed values."""

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


def _matching(pattern: str, complaint: str) -> AfterValidator:
    """Empty, or a secret that matches; the complaint repeats nothing of it."""

    def check(value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not re.fullmatch(pattern, value.get_secret_value()):
            raise ValueError(complaint)
        return value

    return AfterValidator(check)


def _address(*schemes: str) -> AfterValidator:
    """Empty, or an address of one of the schemes."""
    return _matching(f"(?s:({'|'.join(schemes)}).*)", f"not a valid address; it begins with {' or '.join(schemes)}")


REDIS = ("redis://", "rediss://", "unix://")
PROXY = ("http://", "https://", "socks5://", "socks5h://")
Instant = Annotated[datetime, BeforeValidator(_instant)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]

# The seats that a language model can take, and the providers whose API keys are read from `<PROVIDER>_API_KEY`.
SeatName = Literal["momentum", "reversion", "breadth", "regime", "trend", "news"]
ProviderName = Literal["openai", "anthropic", "gemini", "deepseek", "xai", "mistral", "groq", "openrouter"]
SEATS: tuple[SeatName, ...] = get_args(SeatName)
PROVIDERS: tuple[ProviderName, ...] = get_args(ProviderName)


class Seat(BaseModel):
    """The options of one seat: ORACLE_<SEAT>_MODEL and so on. An empty value means "not set"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field("", description="model of one seat, for example `ORACLE_MOMENTUM_MODEL`; `embedded`: no model")
    base_url: str = Field(
        "", description="base URL of your own model server for that seat, for example `http://host:8080/v1`"
    )
    api_key: SecretStr = Field(SecretStr(""), description="API key for that seat only")


class Settings(BaseModel):
    """The options. The environment variable of an option is the field's name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = Field("127.0.0.1", description="network address to listen on")
    port: int = Field(8000, ge=1, le=65535, description="port to listen on")
    data_dir: Path = Field(
        Path("var"), description="folder for the database and for the secrets created at first start"
    )
    database_url: str = Field("", repr=False, description="PostgreSQL or SQLite URL; empty: `DATA_DIR/WORLD.sqlite`")
    redis_url: Annotated[SecretStr, _address(*REDIS)] = Field(
        SecretStr(""), description="Redis URL for the limits of a minute; empty: each process counts its own"
    )
    key_secret: Annotated[SecretStr, _matching(".{16,}", "must be at least 16 characters long")] = Field(
        SecretStr(""), description="secret for hashing API keys; empty: created once in `DATA_DIR/key-secret`"
    )

    ledger_key: Annotated[SecretStr, _matching("[0-9a-fA-F]{64}", "must be 64 hex digits")] = Field(
        SecretStr(""), description="hex seed of the ledger's signing key; empty: created once in `DATA_DIR/ledger-key`"
    )

    ledger_tsa_urls: Names = Field(
        (), description="addresses of RFC 3161 authorities that timestamp the ledger's roots, except in a replay"
    )
    ledger_tsa_certificates: Path | None = Field(
        None, description="PEM file of the root certificates that timestamps must lead to; empty: any authority"
    )
    witness_of: Names = Field(
        (), description="instances whose ledgers this one watches, `https://…`: see `/api/v1/ledger/witness`"
    )
    world: Literal["", "simulated", "replay", "live"] = Field(
        "",
        description="source of prices: `simulated`, `replay` or `live`; empty: the first start chooses `live` if an "
        "exchange answers, else `simulated`, and `DATA_DIR/world` keeps the choice",
    )
    history_days: int = Field(
        240, ge=60, le=1500, description="days of price history at the first start (simulated, live)"
    )
    simulated_seed: int = Field(42, ge=0, lt=2**31, description="seed of the simulated market")
    replay_dir: Path | None = Field(
        None,
        description="folder of `btc.csv`, `eth.csv`, … for `WORLD=replay`, also as ccxt, freqtrade, yfinance and "
        "Binance write them; a time without an offset is UTC",
    )
    replay_start: Instant | None = Field(
        None, description="date or instant at which a replay starts; empty: 60 days before its end"
    )
    world_speed: float = Field(60.0, gt=0, le=86400, description="speed of a replay: simulated seconds per real second")
    exchanges: Names = Field(
        ("kraken", "coinbase", "binance"),
        description="exchanges of `WORLD=live`, tried in this order; `name=https://…` gives one another address",
    )
    bars_dir: Path | None = Field(
        None,
        description="folder of `silver.csv` and so on for `WORLD=live`, for what no exchange has: five-minute bars, to "
        "which you append, in any form of `REPLAY_DIR`; a time without an offset is UTC",
    )
    pools_url: str = Field("https://yields.llama.fi/pools", description="source of liquidity pools for `WORLD=live`")
    polymarket_url: str = Field("https://gamma-api.polymarket.com", description="Polymarket API for `WORLD=live`")
    kalshi_url: str = Field("https://api.elections.kalshi.com/trade-api/v2", description="Kalshi API for `WORLD=live`")
    short_markets: bool = Field(
        False, description='`1`: also import "Up or Down" markets of five minutes to an hour into `WORLD=live`'
    )
    news_feeds: Names = Field(
        (
            "https://www.coindesk.com/arc/outboundfeeds/rss/",
            "https://cointelegraph.com/rss",
            "https://decrypt.co/feed",
            "https://cryptoslate.com/feed/",
        ),
        description="RSS feeds for `WORLD=live`",
    )
    source_timeout_s: float = Field(
        20.0, gt=0, le=120, description="total time limit of one call to an outside source, in seconds"
    )
    source_proxy: Annotated[SecretStr, _address(*PROXY)] = Field(
        SecretStr(""),
        description="proxy for exchanges, markets, news and language models, `http://…`, `https://…`, `socks5://…` or "
        "`socks5h://…`; empty: `HTTPS_PROXY` and so on of the environment; `NO_PROXY` holds for both",
    )

    threads: int = Field(64, ge=4, le=512, description="requests that one process serves at the same time")
    oracle_concurrency: int = Field(
        24,
        ge=1,
        le=256,
        description="questions that one process answers at the same time; above this the API returns 503",
    )
    oracle_quorum: int = Field(
        5,
        ge=1,
        le=9,
        description="minimum number of votes for an answer; with fewer the API returns 503, free of charge",
    )
    oracle_model: str = Field(
        "", description="`provider:model` for all six seats, for example `ollama:llama3.2`; empty: the embedded engines"
    )
    oracle_seats: dict[SeatName, Seat] = Field({}, description="options of single seats, by name")
    provider_keys: dict[ProviderName, SecretStr] = Field({}, description="API keys of the known providers")
    oracle_deadline_s: float = Field(
        20.0, ge=0.5, le=60, description="time limit of a language model's vote, in seconds"
    )
    oracle_on_failure: Literal["fallback", "abstain"] = Field(
        "fallback",
        description="when a model gives no vote: `fallback` uses the embedded engine, `abstain` leaves the vote out",
    )
    events_file: Path | None = Field(
        None, description="CSV file (`time,event`) of what is scheduled, for models on questions that no price decides"
    )
    oracle_prices: str = Field(
        "",
        description="USD per million tokens of models whose list price is unknown or not yours, "
        "`provider:model=input/output`, separated by commas",
    )
    oracle_daily_tokens: int | None = Field(
        None, ge=0, description="daily token limit over all models (UTC day); empty: no limit"
    )
    oracle_daily_usd: float | None = Field(
        None,
        ge=0,
        description="daily cost limit over all models in USD (UTC day); empty: no limit. Models without a known price "
        "count in `ORACLE_DAILY_TOKENS` alone",
    )
    registration: Literal["open", "closed"] = Field(
        "open", description="who gets API keys: `open`, everybody who registers; `closed`, whom the operator gives one"
    )
    trusted_proxies: int = Field(
        0, ge=0, le=5, description="number of reverse proxies in front whose `X-Forwarded-For` is trusted"
    )
    answers_kept_days: int | None = Field(
        None, ge=1, description="days after its deadline for which an answer keeps its text and caller; empty: for ever"
    )
    borrow_rate_pct: float = Field(
        7.3,
        ge=0,
        le=100,
        description="interest a year, in percent, that strategies and lanes pay for what they sell short, metals too; "
        "the default is 0.02% a day, the example in Binance Margin's rules; your exchange states its own",
    )
    lane_bars_kept_days: int = Field(
        180, ge=1, description="days for which the equity of a lane is kept at every bar; what is older, by the hour"
    )
    webhook_private: bool = Field(
        False, description="`1`: webhooks may use http and addresses of your own network (never for strangers' keys)"
    )
    event_streams: int = Field(
        256,
        ge=1,
        le=4096,
        description="event streams that one process keeps open, each in a thread beside `THREADS`; a quarter is for "
        "paid keys",
    )
    log_level: Literal["debug", "info", "warning", "error"] | None = Field(
        None, description="lowest severity that is logged; empty: `info`, in a terminal `warning`"
    )

    access_log: bool = Field(
        False, description="`1`: log each request: its id, route, status, milliseconds, key id and shortened address"
    )

    @property
    def database(self) -> str:
        """The SQLAlchemy URL of the database. Each world has a file of its own, so worlds cannot mix."""
        if not self.database_url:
            if not self.world:
                raise SettingsError("WORLD: no world was chosen yet. Set WORLD, or start the service once.")
            return f"sqlite:///{self.data_dir.resolve() / self.world}.sqlite"
        return self.database_url.replace("postgresql://", "postgresql+psycopg://", 1)

    @property
    def authorities(self) -> bytes | None:
        """The PEM of the authorities whose timestamps count, empty for any; None where timestamps are not read."""
        if self.ledger_tsa_certificates is None:
            return b"" if self.ledger_tsa_urls or self.witness_of else None
        try:
            return read_certificates(self.ledger_tsa_certificates)
        except (OSError, ValueError) as error:
            raise SettingsError(f"LEDGER_TSA_CERTIFICATES: no certificates can be read: {error}") from None

    @property
    def world_file(self) -> Path:
        """The file that keeps the choice of a first start without WORLD."""
        return self.data_dir / "world"

    @property
    def chosen_world(self) -> str:
        """The world that an earlier start without WORLD chose in this DATA_DIR; empty before the first one."""
        if self.database_url:
            return ""  # that database knows
        if self.world_file.is_file():
            return self.world_file.read_text(encoding="utf-8").strip()
        # Versions before the choice were simulated by default.
        return next((name for name in ("simulated", "live") if (self.data_dir / f"{name}.sqlite").is_file()), "")

    def in_world(self, world: str) -> Settings:
        """The same options with another world. Raises ValidationError where there is none of that name."""
        return Settings.model_validate({**dict(self), "world": world})


def read(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment; an empty variable counts as not set.

    Raises SettingsError that names every invalid variable.
    """
    values = os.environ if environment is None else environment
    names = Settings.model_fields.keys() - {"oracle_seats", "provider_keys"}
    options = {name: values[name.upper()] for name in names if values.get(name.upper())}
    parts = Seat.model_fields
    seats = {seat: _set({part: values.get(f"ORACLE_{seat}_{part}".upper()) for part in parts}) for seat in SEATS}
    keys = {provider: values.get(f"{provider.upper()}_API_KEY", "") for provider in PROVIDERS}
    try:
        settings = Settings.model_validate({**options, "oracle_seats": _set(seats), "provider_keys": _set(keys)})
        return settings if settings.world else settings.in_world(settings.chosen_world)
    except ValidationError as error:
        raise SettingsError("; ".join(_complaint(fault) for fault in error.errors())) from None


def _set(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value}


def _complaint(fault: ErrorDetails) -> str:
    name = ".".join(str(part) for part in fault["loc"]).upper()
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "bool_parsing":
        message = "must be 1 or 0; true and false, yes and no, on and off are understood too"
    return f"{name}: {message}" if name else message
