"""Who answers for a model, at which price, and how it is made to answer in JSON: learnt from what it refuses."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from service.config import SettingsError
from service.sources.llm import modes
from service.sources.llm.modes import LADDER, Modes, StreamedCompletion, TooMuchText, instructions
from service.sources.llm.providers import FREE, PROVIDERS, TokenPrice, parse, price_of, stated_prices
from tests.processes import ROOT

NO_ADDRESSES = ("localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://a:b", "//host")
# Models that providers offer in November 2026, with what a million tokens may cost: input and output in USD.
CURRENT = [
    *(("openai:gpt-5.4-mini", 0.75, 4.5), ("anthropic:claude-haiku-4-5", 1, 5), ("xai:grok-4", 3, 15)),
    *(("gemini:gemini-3.1-pro-preview", 2, 12), ("mistral:mistral-small-latest", 0.15, 0.6)),
    *(("groq:openai/gpt-oss-120b", 0.15, 0.6), ("openrouter:anthropic/claude-sonnet-4.5", 3, 15)),
]
SCHEMA = {"type": "object", "required": ["probability_yes"]}
ENGINE, OTHER = "openai:gpt-4o", "groq:llama-3.1-8b-instant"


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        *((provider, "some-model") for provider in PROVIDERS),
        *(("ollama", "llama3.2:3b"), ("groq", "openai/gpt-oss-120b")),
        ("openrouter", "meta-llama/llama-3.3-70b-instruct:free"),
    ],
)
@pytest.mark.parametrize("address", ["", "https://gateway.example/v1"])
def test_every_known_provider_is_named_before_a_colon(provider, model, address):
    """The name of a model may hold colons and slashes; keys are sent over https, or to another address."""
    chosen = parse(f" {provider}:{model} ", address)
    assert (chosen.provider.name, chosen.model, chosen.engine) == (provider, model, f"{provider}:{model}")
    assert chosen.provider.base_url.startswith("https://") or not chosen.provider.key_variable


@pytest.mark.parametrize("name", ["qwen3", "qwen3:8b", "https:x"])
def test_a_server_of_ones_own_is_any_address(name):
    """It never bears the name of a provider."""
    chosen = parse(name, "http://10.0.0.7:8000/v1")
    assert chosen.engine == f"custom:{name}"
    assert chosen.provider.key_variable is None


@pytest.mark.parametrize("name", ["gpt-4o", "openia:gpt-4o", ":gpt-4o", "", "OPENAI:gpt-4o"])
def test_an_unknown_provider_is_refused_and_the_known_ones_are_named(name):
    """A model whose name could not be published is refused too."""
    with pytest.raises(SettingsError) as refusal:
        parse(name)
    assert all(provider in refusal.value.detail for provider in PROVIDERS)
    for model in ("", " ", "a b", "<b>x</b>", "x" * 101, "x\ny", "gpt–5", "a'b"):
        with pytest.raises(SettingsError):
            parse(f"openai:{model}")


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        *((address, "must begin with http") for address in NO_ADDRESSES),
        ("https://user:hunter2@host/v1", "must not contain a password"),
    ],
)
def test_an_invalid_address_is_refused(address, complaint):
    """A password in it is not repeated."""
    with pytest.raises(SettingsError, match=complaint) as refusal:
        parse("qwen3", address)
    assert "hunter2" not in refusal.value.detail


@pytest.mark.parametrize(("engine", "input_usd", "output_usd"), CURRENT)
def test_a_current_model_has_its_list_price(engine, input_usd, output_usd, monkeypatch):
    """Without the network; a price for long prompts only does not count. DeepSeek's differ by the time of day."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("a price was fetched"))
    assert price_of(parse(engine), {}) == pytest.approx(TokenPrice(input_usd, output_usd))
    by_the_hour = price_of(parse("deepseek:deepseek-chat"), {})
    assert 0 < by_the_hour.input < by_the_hour.output < 3


def test_a_model_of_one_day_costs_what_the_model_does():
    """An unlisted one has no known price, nor has a server of your own that gives its model a listed name."""
    for suffix in ("", "-2025-08-07", "-20260929", "-2612", "-latest"):
        assert price_of(parse(f"openai:gpt-5{suffix}"), {}) == TokenPrice(1.25, 10.0)
    for name in ("openai:gpt-55", "groq:foo", "ft:mine", "openai:ft:gpt-4.1-mini:acme::x", "gpt-5"):
        assert price_of(parse(name, "http://127.0.0.1:8080/v1"), {}) is None


def test_a_stated_price_wins():
    """Over a list price, over a local model's, which is free, and where there is none; it is per million tokens."""
    for text in ("openai:gpt-5", "openai:gpt-5=1", "=1/2", "openai:gpt-5=-1/2", "openai:gpt-5=1/two"):
        with pytest.raises(SettingsError, match="ORACLE_PRICES"):
            stated_prices(text)
    assert TokenPrice(3.0, 15.0).of(1000, 100) == pytest.approx(0.0045)
    for provider in ("ollama", "llamacpp", "lmstudio", "vllm"):
        assert price_of(parse(f"{provider}:llama3.2:3b"), {}) == FREE
    prices = stated_prices("openai:gpt-5=1/8, ollama:llama3.2:3b=0.01/0.02,custom:my=model=3/15.5,")
    assert price_of(parse("openai:gpt-5"), prices) == TokenPrice(1.0, 8.0)
    assert price_of(parse("ollama:llama3.2:3b"), prices) == TokenPrice(0.01, 0.02)
    assert price_of(parse("my=model", "http://127.0.0.1:8080/v1"), prices) == TokenPrice(3.0, 15.5)
    assert price_of(parse("openai:gpt-5-mini"), prices) == TokenPrice(0.25, 2.0)


def test_the_list_is_imported_only_for_a_listed_provider():
    """It takes 30 MB and 0.2 s, which embedded engines and local models do not need."""
    script = (
        "import sys; from service.sources.llm import providers\n"
        "providers.price_of(providers.parse('ollama:llama3.2'), {}); assert 'genai_prices' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_modes_go_from_the_strictest_to_plain_words():
    """A prompt contains a schema that is not enforced. The mode that worked is remembered for its model alone."""
    for mode in LADDER:
        text = instructions("Be brief.", mode, SCHEMA)
        assert text == "Be brief." if mode == "json_schema" else text.endswith(json.dumps(SCHEMA))
    assert Modes().of(ENGINE) == LADDER[0] == "json_schema"
    assert [modes.below(mode) for mode in LADDER] == ["json_object_schema", "json_object", "text", "text"]
    assert modes.response_format("text", SCHEMA) is None
    memory = Modes()
    memory.worked(ENGINE, "json_object")
    assert (memory.of(ENGINE), memory.of(OTHER)) == ("json_object", "json_schema")


def test_two_unusable_answers_in_a_row_step_down():
    """A usable one between them forgives; earlier and concurrent calls do not undo what was learnt."""
    memory = Modes()
    memory.unusable(ENGINE, "json_schema")
    memory.usable(ENGINE)
    memory.unusable(ENGINE, "json_schema")
    assert memory.of(ENGINE) == "json_schema"
    for mode in ("json_schema", "json_object_schema"):
        memory.unusable(ENGINE, mode)
        assert memory.of(ENGINE) == "json_object_schema"
    memory = Modes()
    memory.worked(ENGINE, "text")
    memory.worked(ENGINE, "json_schema")
    memory.unusable(ENGINE, "json_schema")
    memory.unusable(ENGINE, "json_schema")
    assert memory.of(ENGINE) == "text"
    memory = Modes()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: memory.unusable(ENGINE, "json_schema"), range(20)))
    assert memory.of(ENGINE) == "json_object_schema"


@pytest.mark.parametrize(
    ("refusal", "is_of_the_mode"),
    [
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", True),
        ("GenerateContentRequest.generation_config.response_schema.properties: unknown field", True),
        *(("This model does not support JSON mode", True), ("Structured outputs are not available", True)),
        ("{'param': 'response_format'}", True),
        *((text, False) for text in ("context length exceeded", "max_tokens is too large", "")),
    ],
)
def test_a_refusal_of_the_mode_names_it(refusal, is_of_the_mode):
    assert modes.names_the_mode(refusal) == is_of_the_mode


def piece(text: Any = None, *, finish: str | None = None, usage: Any = None) -> SimpleNamespace:
    choice = SimpleNamespace(delta=SimpleNamespace(content=text), finish_reason=finish)
    return SimpleNamespace(choices=[choice], usage=usage)


def usage(prompt: Any, completion: Any) -> SimpleNamespace:
    return SimpleNamespace(prompt_tokens=prompt, completion_tokens=completion)


def read(*pieces: Any) -> StreamedCompletion:
    completion = StreamedCompletion()
    completion.read(pieces)
    return completion


def test_pieces_are_joined_until_the_model_finishes():
    """Only the first choice is read. Of too much text, what was read before is kept: it may have been charged."""
    completion = read(piece("{"), piece("}"), piece(finish="stop", usage=usage(900, 40)))
    assert completion == StreamedCompletion(3, "{}", is_whole=True, input_tokens=900, output_tokens=40)
    double = piece("a")
    double.choices.append(SimpleNamespace(delta=SimpleNamespace(content="b"), finish_reason="stop"))
    assert read(double) == StreamedCompletion(1, "a")
    completion = StreamedCompletion()
    with pytest.raises(TooMuchText):
        completion.read(iter([piece("x" * modes.MOST_TEXT), piece("y"), piece("z")]))
    assert (completion.pieces, completion.text[-1]) == (2, "y")


def test_a_strange_piece_adds_no_text():
    """An absurd count of tokens is ignored."""
    for strange in (None, SimpleNamespace(), SimpleNamespace(choices=None), piece(5), piece(["x"])):
        completion = read(piece("a"), strange, piece("b"))
        assert (completion.text, completion.pieces) == ("ab", 3)
    for counts in ((-1, 5), (5, None), ("5", 5), (modes.LARGEST_COUNT + 1, 5)):
        completion = read(piece("a", usage=usage(*counts)))
        assert (completion.input_tokens, completion.output_tokens) == (None, None)
