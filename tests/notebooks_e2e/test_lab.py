"""JupyterLab over the notebooks, as a researcher opens it."""

from __future__ import annotations

import pytest

from tests.notebooks_e2e.conftest import Service
from tests.notebooks_e2e.pages import LIVE, BrowserPage
from tests.notebooks_e2e.programs import Workbench

pytestmark = pytest.mark.slow


def test_every_panel_refreshes_without_running_a_cell(lab: Workbench, page: BrowserPage, service: Service):
    """It reports that the service is down, keeps its chart, and goes on when the service is up again."""
    page.page.goto(lab.write("live", *LIVE))
    page.run_all()
    page.restart(service)


def test_a_slow_browser_draws_a_panel(lab: Workbench, page: BrowserPage):
    """anywidget drops messages to a widget whose script took longer than 2 seconds to load."""
    page.slow_down(4)
    page.page.goto(lab.write("slow", "from ninefold_lab import BattlePanel, connect", "BattlePanel(connect())"))
    page.run_all()
    assert page.panel().count_traces(least=2) >= 2


def test_the_file_browser_lists_only_notebooks(lab: Workbench, page: BrowserPage):
    """Not their code."""
    page.page.goto(lab.root)
    page.page.locator(".jp-DirListing-item", has_text="battle.ipynb").wait_for()
    names = page.page.locator(".jp-DirListing-item").all_inner_texts()
    assert all(".ipynb" in name for name in names)
