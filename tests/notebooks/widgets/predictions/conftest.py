"""The panel of the predictions, with the record and with the open markets."""

from __future__ import annotations

import pytest

from notebooks.widgets import PredictionsPanel


@pytest.fixture
def predictions_panel(open_panel, stub) -> PredictionsPanel:
    return open_panel(PredictionsPanel, stub)


@pytest.fixture
def open_view(predictions_panel: PredictionsPanel) -> PredictionsPanel:
    """The panel with the open markets, which the change of the view has requested."""
    predictions_panel._first_response.clear()
    predictions_panel.view.value = "open"
    assert predictions_panel.wait_until_loaded()
    return predictions_panel
