"""The notebooks as pages to be read, as Voila serves them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Service, Workbench, seen
from tests.notebooks_e2e.pages import LIVE, Sight


@pytest.fixture(scope="module")
def battle(voila: Workbench, browser: Browser) -> Iterator[Sight]:
    """The battle's page."""
    with seen(browser) as sight:
        sight.page.goto(voila.at("battle"))
        sight.panel().traces(least=6)
        yield sight


def test_a_panel_draws_its_traces_and_shows_no_code(battle: Sight):
    assert battle.page.get_by_text("connect()").count() == 0
    assert battle.broken() == 0


def test_every_panel_updates_by_itself(voila: Workbench, sight: Sight, service: Service):
    """It tells that the service is gone, keeps its chart meanwhile, and goes on by itself when the service is back."""
    sight.page.goto(voila.write("live", *LIVE))
    sight.outlives(service)


def test_no_chart_offers_to_upload_data(battle: Sight):
    assert battle.offers()
    assert not [offer for offer in battle.offers() if "share" in offer or "studio" in offer]


def test_the_list_of_pages_names_the_notebooks_and_not_their_code(voila: Workbench, sight: Sight):
    sight.page.goto(voila.root)
    sight.page.get_by_text("battle.ipynb").first.wait_for()
    sight.picture("pages-voila-light")
    assert sight.page.get_by_text("widgets", exact=True).count() == 0
