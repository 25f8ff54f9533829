"""The notebooks as pages, as Voila serves them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Service, Workbench, opened
from tests.notebooks_e2e.pages import LIVE, BrowserPage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def battle(voila: Workbench, browser: Browser) -> Iterator[BrowserPage]:
    """The battle page."""
    with opened(browser) as page:
        page.page.goto(voila.at("battle"))
        page.panel().count_traces(least=6)
        yield page


def test_a_panel_draws_its_traces_and_shows_no_code(battle: BrowserPage):
    assert battle.page.get_by_text("connect()").count() == 0
    assert battle.count_broken() == 0


def test_every_panel_refreshes_by_itself(voila: Workbench, page: BrowserPage, service: Service):
    """It reports that the service is down, keeps its chart, and goes on when the service is up again."""
    page.page.goto(voila.write("live", *LIVE))
    page.restart(service)


def test_no_chart_offers_to_upload_data(battle: BrowserPage):
    assert battle.chart_buttons()
    assert not [label for label in battle.chart_buttons() if "share" in label or "studio" in label]


def test_the_list_of_pages_has_only_notebooks(voila: Workbench, page: BrowserPage):
    """Not their code."""
    page.page.goto(voila.root)
    page.page.get_by_text("battle.ipynb").first.wait_for()
    page.screenshot("pages-voila-light")
    assert page.page.get_by_text("widgets", exact=True).count() == 0


def test_a_slow_browser_draws_the_votes(voila: Workbench, page: BrowserPage):
    """anywidget drops messages to a widget whose script took longer than 2 seconds to load."""
    page.slow_down(4)
    page.page.goto(voila.at("oracle"))
    panel = page.panel()
    panel.ask("Will bitcoin be higher at the end of this month?")
    assert panel.count_traces(least=2) >= 2
