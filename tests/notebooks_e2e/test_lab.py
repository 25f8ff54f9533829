"""The notebooks in JupyterLab, as a researcher opens them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Service, Workbench, seen
from tests.notebooks_e2e.pages import LIVE, Sight


@pytest.fixture(scope="module")
def battle(lab: Workbench, browser: Browser) -> Iterator[Sight]:
    """The battle's notebook after all its cells were run."""
    with seen(browser) as sight:
        sight.page.goto(lab.at("battle"))
        sight.run_all()
        sight.panel().traces(least=6)
        yield sight


def test_a_panel_draws_its_traces_and_nothing_pops_up(battle: Sight):
    """Neither news nor a question about news."""
    assert battle.broken() == 0
    assert battle.page.locator(".Toastify__toast").count() == 0


def test_every_panel_updates_without_a_cell_being_run(lab: Workbench, sight: Sight, service: Service):
    """It tells that the service is gone, keeps its chart meanwhile, and goes on by itself when the service is back."""
    sight.page.goto(lab.write("live", *LIVE))
    sight.run_all()
    sight.outlives(service)


def test_no_chart_offers_to_upload_data(battle: Sight):
    assert battle.offers()
    assert not [offer for offer in battle.offers() if "share" in offer or "studio" in offer]


def test_the_file_browser_shows_notebooks_and_not_their_code(lab: Workbench, sight: Sight):
    sight.page.goto(lab.root)
    sight.page.locator(".jp-DirListing-item", has_text="battle.ipynb").wait_for()
    names = sight.page.locator(".jp-DirListing-item").all_inner_texts()
    assert all(".ipynb" in name for name in names)
