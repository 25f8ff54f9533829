"""Recorded answers of two outside markets, and servers on this machine that answer as they do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sources.conftest import ExchangeServer, serve


@pytest.fixture(scope="session")
def record(shared_data: Path) -> Callable[[str], Any]:
    """Reads a recorded answer by its path below the folder of recorded answers."""
    return lambda name: json.loads((shared_data / "recorded" / name).read_text())


@pytest.fixture(scope="session")
def bitcoin_row(record) -> dict[str, Any]:
    """Polymarket's "Will the price of Bitcoin be above $64,000 on March 11?", open."""
    return record("polymarket/search_response.json")["events"][0]["markets"][0]


@pytest.fixture(scope="session")
def up_row(record) -> dict[str, Any]:
    """Polymarket's "Bitcoin Up or Down - March 12, 5:20AM-5:25AM ET", open, between Up and Down."""
    return record("polymarket/gamma_market.json")


@pytest.fixture(scope="session")
def resolved_row(record) -> dict[str, Any]:
    """A market of Polymarket that was resolved to No."""
    return record("polymarket/gamma_market_closed_binary_accepting_false.json")


@pytest.fixture(scope="session")
def kalshi_row(record) -> dict[str, Any]:
    """Kalshi's "Will Bitcoin exceed $100,000 by March 15?", open."""
    return record("kalshi/markets.json")["markets"][0]


@pytest.fixture
def server() -> Iterator[ExchangeServer]:
    """An outside market on this machine that lists nothing until a test says what."""
    yield from serve(ExchangeServer(routes=lambda *_: {"markets": []}))
