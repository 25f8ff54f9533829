"""Assumed prices of models, in USD per million tokens.

These are list prices, which change. They serve the spending limit and the cost shown with a vote, not billing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from service.sources.llm.providers import Chosen

MILLION = 1_000_000


class TokenPrice(NamedTuple):
    """USD per million input and output tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """USD for a call."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


FREE = TokenPrice(0.0, 0.0)
DEAREST = TokenPrice(15.0, 75.0)  # assumed by the spending limit for a model without a known price
LOCAL = ("ollama", "llamacpp")

PRICES = {
    "openai:gpt-5": TokenPrice(1.25, 10.0),
    "openai:gpt-5-mini": TokenPrice(0.25, 2.0),
    "openai:gpt-5-nano": TokenPrice(0.05, 0.40),
    "openai:gpt-4.1": TokenPrice(2.0, 8.0),
    "openai:gpt-4.1-mini": TokenPrice(0.40, 1.60),
    "openai:gpt-4.1-nano": TokenPrice(0.10, 0.40),
    "openai:gpt-4o": TokenPrice(2.50, 10.0),
    "openai:gpt-4o-mini": TokenPrice(0.15, 0.60),
    "anthropic:claude-opus-4-1": TokenPrice(15.0, 75.0),
    "anthropic:claude-opus-4-5": TokenPrice(5.0, 25.0),
    "anthropic:claude-sonnet-4-5": TokenPrice(3.0, 15.0),
    "anthropic:claude-haiku-4-5": TokenPrice(1.0, 5.0),
    "gemini:gemini-2.5-pro": TokenPrice(1.25, 10.0),
    "gemini:gemini-2.5-flash": TokenPrice(0.30, 2.50),
    "gemini:gemini-2.5-flash-lite": TokenPrice(0.10, 0.40),
    "deepseek:deepseek-chat": TokenPrice(0.28, 0.42),
    "deepseek:deepseek-reasoner": TokenPrice(0.28, 0.42),
    "xai:grok-4": TokenPrice(3.0, 15.0),
    "xai:grok-3-mini": TokenPrice(0.30, 0.50),
    "mistral:mistral-large": TokenPrice(2.0, 6.0),
    "mistral:mistral-medium": TokenPrice(0.40, 2.0),
    "mistral:mistral-small": TokenPrice(0.10, 0.30),
    "groq:llama-3.3-70b-versatile": TokenPrice(0.59, 0.79),
    "groq:llama-3.1-8b-instant": TokenPrice(0.05, 0.08),
}

# A dated version of a model has the price of the model: "-2025-08-07", "-20250929", "-2512", "-latest".
DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


def price_of(chosen: Chosen) -> TokenPrice | None:
    """The assumed price of a model, None if it is unknown; a local model is free."""
    if chosen.provider.name in LOCAL:
        return FREE
    return PRICES.get(chosen.engine) or PRICES.get(DATED.sub("", chosen.engine))
