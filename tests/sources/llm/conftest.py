"""A server of language models, and a model of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from service.sources.llm.client import Clients, LanguageModel
from service.sources.llm.modes import Modes
from service.sources.llm.providers import parse
from tests.sources.llm.model_server import ModelServer, serving

KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until a test says otherwise."""
    with serving() as server:
        yield server


@pytest.fixture
def clients() -> Iterator[Clients]:
    clients = Clients()
    yield clients
    clients.close()


@pytest.fixture
def model_at(clients: Clients) -> Callable[[str], LanguageModel]:
    """A model at an address."""
    return lambda address: LanguageModel(parse("some-model", address), clients.of(address, KEY), Modes())


@pytest.fixture
def model(server: ModelServer, model_at) -> LanguageModel:
    """A model of that server."""
    return model_at(server.address)
