"""What models cost, in USD per million tokens: as the operator states in ORACLE_PRICES, else list prices.

List prices come from the data of genai-prices, which is installed with the service; nothing is fetched. They serve the
spending limit and the cost shown with a vote, not billing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from service.config import SettingsError
from service.sources.llm.providers import Chosen

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
LOCAL = ("ollama", "llamacpp")
LISTED_AS = {"gemini": "google", "xai": "x-ai", "custom": None}  # providers under another name, and without a list

# A dated version of a model has the price of the model: "-2025-08-07", "-20250929", "-2512", "-latest".
DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


def price_of(chosen: Chosen, stated: Mapping[str, TokenPrice]) -> TokenPrice | None:
    """The price of a model at this time of day, by engine in `stated`, else listed; None if it is unknown.

    A local model is free.
    """
    if chosen.engine in stated:
        return stated[chosen.engine]
    if chosen.provider.name in LOCAL:
        return FREE
    provider = LISTED_AS.get(chosen.provider.name, chosen.provider.name)
    names = (chosen.model, DATED.sub("", chosen.model)) if provider else ()
    return next((price for name in names if (price := _listed(provider, name))), None)


def _listed(provider: str | None, model: str) -> TokenPrice | None:
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
