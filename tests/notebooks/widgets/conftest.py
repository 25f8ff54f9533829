"""Panels that more than one file of tests looks at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notebooks.widgets import OraclePanel, PredictionsPanel
from service.client import Client
from service.market.instants import utc
from tests.notebooks.widgets.streaming_client import StreamingClient
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


@pytest.fixture
def predictions_panel(open_panel, intercepted) -> PredictionsPanel:
    return open_panel(PredictionsPanel, intercepted)


@pytest.fixture
def open_view(predictions_panel: PredictionsPanel) -> PredictionsPanel:
    """The panel with the open markets, which the change of the view has requested."""
    predictions_panel._loaded.clear()
    predictions_panel.view.value = "open"
    assert predictions_panel.wait_until_loaded()
    return predictions_panel
