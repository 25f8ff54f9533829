"""A server of language models, and a model of it."""

from __future__ import annotations

from collections.abc import Iterator

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
def model(server: ModelServer, clients: Clients) -> LanguageModel:
    """A model of that server."""
    return LanguageModel(parse("some-model", server.address), clients.of(server.address, KEY), Modes())
