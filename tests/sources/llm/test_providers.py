"""Who answers for a model."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from service.config import SettingsError
from service.sources.llm.providers import FREE, PROVIDERS, TokenPrice, parse, price_of, stated_prices
from tests.processes import ROOT


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        *((provider, "some-model") for provider in PROVIDERS),
        ("ollama", "llama3.2:3b"),
        ("openrouter", "meta-llama/llama-3.3-70b-instruct:free"),
        ("groq", "openai/gpt-oss-120b"),
    ],
)
@pytest.mark.parametrize("address", ["", "https://gateway.example/v1"])
def test_every_known_provider_is_named_before_a_colon(provider, model, address):
    """The name of a model may hold colons and slashes; a provider may be reached at another address."""
    chosen = parse(f" {provider}:{model} ", address)
    assert (chosen.provider.name, chosen.model, chosen.engine) == (provider, model, f"{provider}:{model}")


@pytest.mark.parametrize("name", ["qwen3", "qwen3:8b", "https:x"])
def test_a_server_of_ones_own_is_any_address(name):
    """It never bears the name of a provider."""
    chosen = parse(name, "http://10.0.0.7:8000/v1")
    assert chosen.engine == f"custom:{name}"
    assert chosen.provider.key_variable is None


@pytest.mark.parametrize("name", ["gpt-4o", "openia:gpt-4o", ":gpt-4o", "", "OPENAI:gpt-4o"])
def test_an_unknown_provider_is_refused_and_the_known_ones_are_named(name):
    with pytest.raises(SettingsError) as refusal:
        parse(name)
    assert all(provider in refusal.value.detail for provider in PROVIDERS)


@pytest.mark.parametrize("model", ["", " ", "a b", "<b>x</b>", "x" * 101, "x\ny", "gpt–5", "a'b"])
def test_a_model_whose_name_could_not_be_published_is_refused(model):
    with pytest.raises(SettingsError):
        parse(f"openai:{model}")


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        *(
            (address, "must begin with http")
            for address in ("localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://a:b", "//host")
        ),
        ("https://user:hunter2@host/v1", "must not contain a password"),
    ],
)
def test_an_invalid_address_is_refused(address, complaint):
    """A password in it is not repeated."""
    with pytest.raises(SettingsError, match=complaint) as refusal:
        parse("qwen3", address)
    assert "hunter2" not in refusal.value.detail


def test_keys_are_sent_over_https_to_every_provider_that_takes_one():
    assert all(provider.base_url.startswith("https://") for provider in PROVIDERS.values() if provider.key_variable)


# Models that providers offer in November 2026, with what a million tokens may cost: input and output in USD.
CURRENT = [
    ("openai:gpt-5.4-mini", 0.75, 4.5),
    ("openai:gpt-5.2", 1.75, 14),
    ("openai:gpt-5-nano", 0.05, 0.4),
    ("openai:gpt-4.1-mini", 0.4, 1.6),
    ("anthropic:claude-opus-4-6", 5, 25),
    ("anthropic:claude-sonnet-4-6", 3, 15),
    ("anthropic:claude-haiku-4-5", 1, 5),
    ("gemini:gemini-3.1-pro-preview", 2, 12),
    ("gemini:gemini-3-flash-preview", 0.5, 3),
    ("gemini:gemini-2.5-flash-lite", 0.1, 0.4),
    ("xai:grok-4", 3, 15),
    ("xai:grok-4-1-fast-non-reasoning", 0.2, 0.5),
    ("mistral:mistral-medium-2508", 0.4, 2),
    ("mistral:mistral-small-latest", 0.15, 0.6),
    ("groq:llama-3.3-70b-versatile", 0.59, 0.79),
    ("groq:openai/gpt-oss-120b", 0.15, 0.6),
    ("openrouter:anthropic/claude-sonnet-4.5", 3, 15),
]


@pytest.mark.parametrize(("engine", "input_usd", "output_usd"), CURRENT)
def test_a_current_model_has_its_list_price(engine, input_usd, output_usd, monkeypatch):
    """Without the network; a price for long prompts only does not count. DeepSeek's differ by the time of day."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("a price was fetched"))
    assert price_of(parse(engine), {}) == pytest.approx(TokenPrice(input_usd, output_usd))
    by_the_hour = price_of(parse("deepseek:deepseek-chat"), {})
    assert 0 < by_the_hour.input < by_the_hour.output < 3


@pytest.mark.parametrize("suffix", ["", "-2025-08-07", "-20260929", "-2612", "-latest"])
def test_a_model_of_one_day_costs_what_the_model_does(suffix):
    assert price_of(parse(f"openai:gpt-5{suffix}"), {}) == TokenPrice(1.25, 10.0)


@pytest.mark.parametrize("name", ["openai:gpt-55", "groq:foo", "ft:mine", "openai:ft:gpt-4.1-mini:acme::x"])
def test_an_unlisted_model_has_no_known_price(name):
    """Nor has a server of your own that gives its model a listed name."""
    assert price_of(parse(name, "http://127.0.0.1:8080/v1"), {}) is None
    assert price_of(parse("gpt-5", "http://127.0.0.1:8080/v1"), {}) is None


def test_a_stated_price_wins():
    """Over a list price, over a local model's, which is free, and where there is none."""
    for provider in ("ollama", "llamacpp", "lmstudio", "vllm"):
        assert price_of(parse(f"{provider}:llama3.2:3b"), {}) == FREE
    prices = stated_prices("openai:gpt-5=1/8, ollama:llama3.2:3b=0.01/0.02,custom:my=model=3/15.5,")
    assert price_of(parse("openai:gpt-5"), prices) == TokenPrice(1.0, 8.0)
    assert price_of(parse("ollama:llama3.2:3b"), prices) == TokenPrice(0.01, 0.02)
    assert price_of(parse("my=model", "http://127.0.0.1:8080/v1"), prices) == TokenPrice(3.0, 15.5)
    assert price_of(parse("openai:gpt-5-mini"), prices) == TokenPrice(0.25, 2.0)


@pytest.mark.parametrize("text", ["openai:gpt-5", "openai:gpt-5=1", "=1/2", "openai:gpt-5=-1/2", "openai:gpt-5=1/two"])
def test_a_price_in_another_form_is_refused(text):
    with pytest.raises(SettingsError, match="ORACLE_PRICES"):
        stated_prices(text)


def test_a_price_is_per_million_tokens():
    """1,000 tokens read at $3 and 100 written at $15 a million."""
    assert TokenPrice(3.0, 15.0).of(1000, 100) == pytest.approx(0.0045)


def test_the_list_is_imported_only_for_a_listed_provider():
    """It takes 30 MB and 0.2 s, which embedded engines and local models do not need."""
    script = (
        "import sys; from service.sources.llm import providers\n"
        "providers.price_of(providers.parse('ollama:llama3.2'), {}); assert 'genai_prices' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
