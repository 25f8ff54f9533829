"""The notebooks in JupyterLab, as a researcher opens them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Service, Workbench, opened
from tests.notebooks_e2e.pages import LIVE, BrowserPage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def battle(lab: Workbench, browser: Browser) -> Iterator[BrowserPage]:
    """The battle notebook after all its cells ran."""
    with opened(browser) as page:
        page.page.goto(lab.at("battle"))
        page.run_all()
        page.panel().count_traces(least=6)
        yield page


def test_a_panel_draws_its_traces_and_nothing_pops_up(battle: BrowserPage):
    """Neither news nor a question about news."""
    assert battle.count_broken() == 0
    assert battle.page.locator(".Toastify__toast").count() == 0


def test_every_panel_refreshes_without_running_a_cell(lab: Workbench, page: BrowserPage, service: Service):
    """It reports that the service is down, keeps its chart, and goes on when the service is up again."""
    page.page.goto(lab.write("live", *LIVE))
    page.run_all()
    page.restart(service)


def test_no_chart_offers_to_upload_data(battle: BrowserPage):
    assert battle.chart_buttons()
    assert not [label for label in battle.chart_buttons() if "share" in label or "studio" in label]


def test_the_file_browser_lists_only_notebooks(lab: Workbench, page: BrowserPage):
    """Not their code."""
    page.page.goto(lab.root)
    page.page.locator(".jp-DirListing-item", has_text="battle.ipynb").wait_for()
    names = page.page.locator(".jp-DirListing-item").all_inner_texts()
    assert all(".ipynb" in name for name in names)
