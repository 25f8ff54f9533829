"""A server on this machine that answers as outside markets do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sources.conftest import ExchangeServer, serve


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    """An outside market on this machine that lists nothing until a test says what."""
    yield from serve(ExchangeServer(routes=lambda *_: {"markets": []}))
