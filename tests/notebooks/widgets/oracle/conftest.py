"""The panel of the oracle over a stream that a test holds or breaks off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notebooks.widgets import OraclePanel
from service.client import Client
from service.market.instants import utc
from tests.notebooks.widgets.oracle.streaming_client import StreamingClient
from tests.running_service import QUESTION, RunningService


@pytest.fixture
def stream(client: Client) -> StreamingClient:
    return StreamingClient(client)


@pytest.fixture
def oracle_panel(stream: StreamingClient, running: RunningService) -> Iterator[OraclePanel]:
    panel = OraclePanel(stream, now=lambda: utc(running.wall))
    yield panel
    stream.go_on.set()
    panel.close()


@pytest.fixture
def answered(oracle_panel: OraclePanel) -> OraclePanel:
    """The panel after one answer."""
    oracle_panel.ask(QUESTION, wait=True)
    return oracle_panel
