"""Who answers for a model."""

from __future__ import annotations

import pytest

from service.config import SettingsError
from service.sources.llm.providers import PROVIDERS, parse


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_known_provider_is_named_before_a_colon(provider):
    chosen = parse(f" {provider}:some-model ")
    assert (chosen.provider, chosen.model) == (PROVIDERS[provider], "some-model")
    assert chosen.engine == f"{provider}:some-model"


@pytest.mark.parametrize(
    ("named", "provider", "model"),
    [
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b"),
        ("openrouter:meta-llama/llama-3.3-70b-instruct:free", "openrouter", "meta-llama/llama-3.3-70b-instruct:free"),
        ("groq:openai/gpt-oss-120b", "groq", "openai/gpt-oss-120b"),
    ],
)
def test_the_name_of_a_model_may_hold_colons_and_slashes(named, provider, model):
    chosen = parse(named)
    assert (chosen.provider.name, chosen.model) == (provider, model)


@pytest.mark.parametrize("named", ["qwen3", "qwen3:8b", "https:x"])
def test_a_server_of_ones_own_is_any_address(named):
    """It never bears the name of a provider."""
    chosen = parse(named, "http://10.0.0.7:8000/v1")
    assert chosen.engine == f"custom:{named}"
    assert chosen.provider.key_variable is None


def test_a_provider_may_be_reached_at_another_address():
    assert parse("openai:gpt-4o", "https://gateway.example/v1").engine == "openai:gpt-4o"


@pytest.mark.parametrize("named", ["gpt-4o", "openia:gpt-4o", ":gpt-4o", "", "OPENAI:gpt-4o"])
def test_an_unknown_provider_is_refused_and_the_known_ones_are_named(named):
    with pytest.raises(SettingsError) as caught:
        parse(named)
    assert all(provider in caught.value.detail for provider in PROVIDERS)


@pytest.mark.parametrize("model", ["", " ", "a b", "<b>x</b>", "x" * 101, "x\ny", "gpt–5", "a'b"])
def test_a_model_whose_name_could_not_be_published_is_refused(model):
    with pytest.raises(SettingsError):
        parse(f"openai:{model}")


@pytest.mark.parametrize(
    "address", ["localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://a:b", "//host"]
)
def test_an_invalid_address_is_refused(address):
    with pytest.raises(SettingsError, match="must begin with http"):
        parse("qwen3", address)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(SettingsError, match="must not contain a password") as caught:
        parse("qwen3", "https://user:hunter2@host/v1")
    assert "hunter2" not in caught.value.detail


def test_keys_are_sent_over_https_to_every_provider_that_takes_one():
    assert all(provider.base_url.startswith("https://") for provider in PROVIDERS.values() if provider.key_variable)
