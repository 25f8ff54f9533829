"""What the tests of the check share: a key that must not appear, the seats, the times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from service.operator.check import Finding
from tests.processes import free_port
from tests.sources.llm.model_server import ModelServer

KEY = "sk-secret-0123456789"
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
TIMEOUT_S = 1.0
# What threads and a slow machine may add to a deadline.
MARGIN_S = 2.5
NO_CONNECTION = "It could not be reached; check the network and its address."
Examine = Callable[..., dict[str, Finding]]


def taken_by(server: ModelServer | str, *seats: str, model: str = "some-model") -> dict[str, Any]:
    """Options that put a model of `server`, or of that address, into seats."""
    address = server if isinstance(server, str) else server.address
    return {"oracle_seats": {seat: {"model": model, "base_url": address, "api_key": KEY} for seat in seats}}


def dead() -> str:
    """A host and port without a server."""
    return f"127.0.0.1:{free_port()}"
