"""What models are assumed to cost, in USD per million tokens.

They are list prices as last read, and change: they serve the spending cap and the price told beside a vote, not a bill.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from service.sources.llm.providers import Chosen

MILLION = 1_000_000


class Price(NamedTuple):
    """USD per million tokens read and written."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """USD for a call."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


FREE = Price(0.0, 0.0)
DEAREST = Price(15.0, 75.0)  # what the cap assumes of a model whose price is not known
LOCAL = ("ollama", "llamacpp")

PRICES = {
    "openai:gpt-5": Price(1.25, 10.0),
    "openai:gpt-5-mini": Price(0.25, 2.0),
    "openai:gpt-5-nano": Price(0.05, 0.40),
    "openai:gpt-4.1": Price(2.0, 8.0),
    "openai:gpt-4.1-mini": Price(0.40, 1.60),
    "openai:gpt-4.1-nano": Price(0.10, 0.40),
    "openai:gpt-4o": Price(2.50, 10.0),
    "openai:gpt-4o-mini": Price(0.15, 0.60),
    "anthropic:claude-opus-4-1": Price(15.0, 75.0),
    "anthropic:claude-opus-4-5": Price(5.0, 25.0),
    "anthropic:claude-sonnet-4-5": Price(3.0, 15.0),
    "anthropic:claude-haiku-4-5": Price(1.0, 5.0),
    "gemini:gemini-2.5-pro": Price(1.25, 10.0),
    "gemini:gemini-2.5-flash": Price(0.30, 2.50),
    "gemini:gemini-2.5-flash-lite": Price(0.10, 0.40),
    "deepseek:deepseek-chat": Price(0.28, 0.42),
    "deepseek:deepseek-reasoner": Price(0.28, 0.42),
    "xai:grok-4": Price(3.0, 15.0),
    "xai:grok-3-mini": Price(0.30, 0.50),
    "mistral:mistral-large": Price(2.0, 6.0),
    "mistral:mistral-medium": Price(0.40, 2.0),
    "mistral:mistral-small": Price(0.10, 0.30),
    "groq:llama-3.3-70b-versatile": Price(0.59, 0.79),
    "groq:llama-3.1-8b-instant": Price(0.05, 0.08),
}

# A model of one day costs what the model does: "-2025-08-07", "-20250929", "-2512", "-latest".
DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


def price_of(chosen: Chosen) -> Price | None:
    """The assumed price of a model, None where none is known; one that runs on this machine is free."""
    if chosen.provider.name in LOCAL:
        return FREE
    return PRICES.get(chosen.engine) or PRICES.get(DATED.sub("", chosen.engine))
