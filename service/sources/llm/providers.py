"""Providers of language models: their addresses, how their APIs differ, and what their models cost.

All of them offer OpenAI's chat completions API. Any other server with this API can be used by its address.

Prices are in USD per million tokens: as the operator states in ORACLE_PRICES, else list prices from the data of
genai-prices, which is installed with the service; nothing is fetched. They serve the spending limit and the cost shown
with a vote, not billing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from service.config import SettingsError

CUSTOM = "custom"  # the provider name of a server that is configured by its address only


@dataclass(frozen=True)
class Provider:
    """A provider and the differences of its API.

    `key_variable` is the environment variable of its key, None if it needs no key. `most_tokens` is its parameter for
    the maximum number of tokens of an answer. `asked_for_usage` is true if a request must ask for the token counts.
    """

    name: str
    base_url: str
    key_variable: str | None = None
    most_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    asked_for_usage: bool = True


class Chosen(NamedTuple):
    """A model and its provider."""

    provider: Provider
    model: str

    @property
    def engine(self) -> str:
        """The engine name of a vote."""
        return f"{self.provider.name}:{self.model}"


_TABLES = tomllib.loads(Path(__file__).with_name("providers.toml").read_text(encoding="utf-8"))
PROVIDERS = {name: Provider(name, **table) for name, table in _TABLES.items()}


def parse(name: str, base_url: str = "") -> Chosen:
    """The provider and model of `provider:model`, of `model` where there is a `base_url`; raises SettingsError."""
    provider, colon, model = name.strip().partition(":")
    if base_url:
        _require_address(base_url)
    chosen = PROVIDERS.get(provider) if colon else None
    if chosen is None and base_url:
        chosen, model = Provider(CUSTOM, base_url, None), name.strip()
    if chosen is None:
        raise SettingsError(f"{name!r} names no known provider: use provider:model with one of {', '.join(PROVIDERS)}")
    # It is published with a vote, so it is visible ASCII without markup.
    if not 0 < len(model) <= 100 or not all("!" <= sign <= "~" and sign not in "<>&\"'`" for sign in model):
        raise SettingsError(f"{model!r} is not a valid model name")
    return Chosen(chosen, model)


def _require_address(base_url: str) -> None:
    invalid = SettingsError("the address of a language model must begin with http:// or https:// and contain a host")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise invalid from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise invalid
    if parts.username is not None or parts.password is not None:
        raise SettingsError("the address of a language model must not contain a password: set its key instead")


MILLION = 1_000_000
PROBE = 1000  # input and output tokens of the call whose price is looked up; a vote is in the same tier


class TokenPrice(NamedTuple):
    """USD per million input and output tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """USD for a call."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


FREE = TokenPrice(0.0, 0.0)
LOCAL = ("ollama", "llamacpp", "lmstudio", "vllm")

# A dated version of a model has the price of the model: "-2025-08-07", "-20250929", "-2512", "-latest".
DATE_SUFFIX = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


def price_of(chosen: Chosen, prices: Mapping[str, TokenPrice]) -> TokenPrice | None:
    """The price of a model now, by engine in `prices`, else listed; a local one is free. None if it is unknown."""
    if chosen.engine in prices:
        return prices[chosen.engine]
    if chosen.provider.name in LOCAL:
        return FREE
    names = () if chosen.provider.name == CUSTOM else (chosen.model, DATE_SUFFIX.sub("", chosen.model))
    return next((price for name in names if (price := _listed(chosen.provider.name, name))), None)


def _listed(provider: str, model: str) -> TokenPrice | None:
    from genai_prices import Usage, calc_price  # imported lazily: 30 MB and 0.2 s that embedded engines do not need

    try:
        price = calc_price(Usage(input_tokens=PROBE, output_tokens=PROBE), model, provider_id=provider)
    except LookupError:
        return None
    return TokenPrice(*(float(part) * MILLION / PROBE for part in (price.input_price, price.output_price)))


def stated_prices(text: str) -> dict[str, TokenPrice]:
    """The prices of the option ORACLE_PRICES by engine: `provider:model=input/output`, separated by commas."""
    return dict(_stated(part.strip()) for part in text.split(",") if part.strip())


def _stated(part: str) -> tuple[str, TokenPrice]:
    engine, _, price = part.rpartition("=")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)", price.strip())
    if not engine or match is None:
        raise SettingsError(f"ORACLE_PRICES: {part!r} is not provider:model=input/output in USD per million tokens")
    return engine.strip(), TokenPrice(float(match[1]), float(match[2]))
