"""The providers of language models that are known by name: where they answer and what differs between them.

All are asked through the endpoint that speaks OpenAI's chat completions. A server of one's own is any address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from service.config import SettingsError

CUSTOM = "custom"  # what a server is called that is known by its address alone


@dataclass(frozen=True)
class Provider:
    """`key_variable` is where its key is usually kept, None where it needs none.

    `most_tokens` is its name for the most tokens of an answer, `asked_for_usage` whether it has to be asked what an
    answer cost.
    """

    name: str
    base_url: str
    key_variable: str | None
    most_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    asked_for_usage: bool = True


class Chosen(NamedTuple):
    """A model and who answers for it."""

    provider: Provider
    model: str

    @property
    def engine(self) -> str:
        return f"{self.provider.name}:{self.model}"


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "max_completion_tokens"),
        Provider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        Provider("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        Provider("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        Provider("xai", "https://api.x.ai/v1", "XAI_API_KEY", "max_completion_tokens"),
        # It tells the usage unasked and has refused to be asked.
        Provider("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", asked_for_usage=False),
        Provider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "max_completion_tokens"),
        Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        Provider("ollama", "http://127.0.0.1:11434/v1", None),
        Provider("llamacpp", "http://127.0.0.1:8080/v1", None),
    )
}


def parse(name: str, base_url: str = "") -> Chosen:
    """The provider and model that `provider:model` names, answered for at `base_url` where one is given.

    With an address the provider may be left out. A model's own name may hold colons. Raises SettingsError.
    """
    provider, colon, model = name.strip().partition(":")
    if base_url:
        _require_address(base_url)
    known = PROVIDERS.get(provider) if colon else None
    if known is None and base_url:
        known, model = Provider(CUSTOM, base_url, None), name.strip()
    if known is None:
        raise SettingsError(
            f"no provider of language models in {name!r}: write {', '.join(PROVIDERS)}, a colon, a model"
        )
    if not _is_model(model):
        raise SettingsError(f"{model!r} is no name of a model")
    return Chosen(known, model)


def _require_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise SettingsError("the address of a language model begins with http:// or https:// and names a host")
    if parts.username is not None or parts.password is not None:
        raise SettingsError("the address of a language model holds no password: set its key instead")


def _is_model(model: str) -> bool:
    """Whether it can be published with every vote: visible ASCII without markup, at most 100 characters."""
    return 0 < len(model) <= 100 and all("!" <= sign <= "~" and sign not in "<>&\"'`" for sign in model)
