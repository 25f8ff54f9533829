"""A cell that runs again closes the panels of its last run, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from notebooks.widgets.base.cell_panels import CellPanels, CellRun, current_run
from tests.processes import ROOT

PATIENCE_S = 60
SETUP = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from tests.notebooks.widgets.base.test_refreshing_panel import NumberPanel, NumberService
import threading
"""
COUNT = "print(sum(thread.name.startswith('panel') for thread in threading.enumerate()))"


class FakePanel:
    """Counts how often it is closed."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def panels() -> list[FakePanel]:
    return [FakePanel() for _ in range(3)]


def test_a_new_run_closes_the_panels_of_the_last(panels):
    cells = CellPanels()
    for panel in panels[:2]:
        cells.add(panel, CellRun("a", "first"))
    cells.add(panels[2], CellRun("a", "second"))
    assert [panel.closed for panel in panels] == [1, 1, 0]


def test_panels_of_one_run_and_of_other_cells_stay(panels):
    cells = CellPanels()
    for panel, run in zip(panels, (CellRun("a", "first"), CellRun("b", "second"), CellRun("a", "first")), strict=True):
        cells.add(panel, run)
    assert [panel.closed for panel in panels] == [0, 0, 0]


def test_outside_of_a_notebook_every_panel_stays(panels):
    cells = CellPanels()
    for panel in panels:
        cells.add(panel, current_run())
    assert [panel.closed for panel in panels] == [0, 0, 0]


@pytest.mark.slow
def test_a_cell_run_ten_times_leaves_one_thread():
    """In a real kernel, with the requests that JupyterLab sends."""
    manager, client = start_new_kernel()
    try:
        run(client, SETUP, "setup")
        for _ in range(10):
            run(client, "NumberPanel(NumberService(), every_s=900)", "panel")
        assert run(client, COUNT, "count").strip() == "1"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client: Any, code: str, cell_id: str) -> str:
    """Run a cell as JupyterLab does, and return what it prints."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    request = client.session.msg("execute_request", content, metadata={"cellId": cell_id})
    client.shell_channel.send(request)
    printed = []
    while True:
        message = client.get_iopub_msg(timeout=PATIENCE_S)
        if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
            continue
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])
        assert message["msg_type"] != "error", message["content"]
        if message["content"].get("execution_state") == "idle":
            return "".join(printed)
