"""What a model is assumed to cost."""

from __future__ import annotations

import pytest

from service.sources.llm.prices import DEAREST, FREE, PRICES, TokenPrice, price_of
from service.sources.llm.providers import parse


@pytest.mark.parametrize("dated", ["", "-2025-08-07", "-20250929", "-2512", "-latest"])
def test_a_model_of_one_day_costs_what_the_model_does(dated):
    assert price_of(parse(f"openai:gpt-5{dated}")) == TokenPrice(1.25, 10.0)


@pytest.mark.parametrize("other", ["openai:gpt-5-pro", "openai:gpt-55", "openrouter:openai/gpt-5"])
def test_a_relative_of_a_known_model_has_no_known_price(other):
    assert price_of(parse(other)) is None


def test_a_local_model_is_free():
    assert price_of(parse("ollama:llama3.2:3b")) == FREE


def test_a_price_is_per_million_tokens():
    """1,000 tokens read at $3 and 100 written at $15 a million."""
    assert TokenPrice(3.0, 15.0).of(1000, 100) == pytest.approx(0.0045)


def test_no_price_is_above_that_assumed_of_an_unknown_model():
    assert max(price.input for price in PRICES.values()) <= DEAREST.input
    assert max(price.output for price in PRICES.values()) <= DEAREST.output
