"""A server of language models, and a model of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from service.sources.llm.client import LanguageModel, open_client
from service.sources.llm.modes import Modes
from service.sources.llm.providers import Chosen, parse
from tests.sources.llm.model_server import ModelServer, serving

KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until a test says otherwise."""
    with serving() as server:
        yield server


@pytest.fixture
def open_model() -> Iterator[Callable[..., LanguageModel]]:
    """Makes a model at an address, whose client is closed after the test."""
    with ExitStack() as stack:

        def opened(chosen: Chosen, address: str, key: str = "") -> LanguageModel:
            return LanguageModel(chosen, stack.enter_context(open_client(address, key)), Modes())

        yield opened


@pytest.fixture
def model_at(open_model) -> Callable[[str], LanguageModel]:
    return lambda address: open_model(parse("some-model", address), address, KEY)


@pytest.fixture
def model(server: ModelServer, model_at) -> LanguageModel:
    return model_at(server.address)
