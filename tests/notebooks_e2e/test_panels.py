"""Every panel in a browser: drawn, clicked, light and dark, and after a reload of its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import SIZE, Workbench, opened
from tests.notebooks_e2e.pages import PagePanel

pytestmark = pytest.mark.slow

QUESTION = "Will bitcoin be higher at the end of this month?"


@dataclass(frozen=True)
class Scenario:
    """A panel of a notebook: a click on a point of `trace` shows `details`.

    `place` counts the panels of the notebook. Before the click, the button `pressed` is pressed or `question` is asked.
    """

    name: str
    notebook: str
    trace: int
    details: str
    place: int = 0
    pressed: str = ""
    question: str = ""


SCENARIOS = [
    Scenario("battle", "battle", 2, "equity"),
    Scenario("hospital", "hospital", 3, "health score"),
    Scenario("leaderboard", "strategies", 0, "rule"),
    Scenario("predictions", "accuracy", 8, "resolution", pressed="open markets"),
    Scenario("forecast", "accuracy", 4, "sigma", place=1),
    Scenario("oracle", "oracle", 1, "reasoning", question=QUESTION),
    Scenario("apex", "oracle", 1, "backfilled", place=1),
]


@pytest.fixture(scope="module", params=["lab", "voila"])
def workbench(request) -> Workbench:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module", params=SCENARIOS, ids=lambda scenario: scenario.name)
def scenario(request) -> Scenario:
    return request.param


@pytest.fixture(scope="module")
def panel(workbench: Workbench, scenario: Scenario, browser: Browser) -> Iterator[PagePanel]:
    """The panel of a scenario, drawn."""
    with opened(browser) as page:
        page.page.goto(workbench.at(scenario.notebook))
        if workbench.runs_cells:
            page.run_all()
        panel = page.panel(scenario.place)
        if scenario.question:
            panel.ask(scenario.question)
        panel.count_traces()
        yield panel


def test_a_chart_is_as_wide_as_its_container(panel: PagePanel):
    panel.wait_until_fitted()


def test_a_title_is_whole_on_a_narrow_page(panel: PagePanel, workbench: Workbench):
    """A page that becomes narrow draws the chart anew, with as many lines as its title needs."""
    page = panel.browser_page.page
    if workbench.runs_cells:
        panel.browser_page.hide_files()
    page.set_viewport_size({"width": 480, "height": SIZE["height"]})
    panel.wait_until_fitted()
    assert panel.cut_titles() == []
    page.set_viewport_size(SIZE)
    panel.wait_until_fitted()


def test_a_panel_is_drawn_and_states_its_world(panel: PagePanel, scenario: Scenario, workbench: Workbench):
    panel.wait_for_status("SIMULATED market")
    assert panel.browser_page.count_broken() == 0
    panel.screenshot(f"{scenario.name}-{workbench.name}-light")


def test_a_click_shows_details(panel: PagePanel, scenario: Scenario):
    if scenario.pressed:
        panel.press(scenario.pressed)
        panel.wait_for_status("of the key's daily calls")
    panel.click(scenario.trace)
    panel.wait_for_details(scenario.details)


def test_a_change_of_theme_keeps_the_traces(panel: PagePanel, scenario: Scenario, workbench: Workbench):
    """To dark and back to light."""
    drawn = panel.count_traces()
    panel.select_theme("dark")
    assert panel.count_traces(least=drawn) == drawn
    panel.screenshot(f"{scenario.name}-{workbench.name}-dark")
    panel.select_theme("light")
    assert panel.count_traces(least=drawn) == drawn


def test_a_panel_survives_a_reload_of_its_page(panel: PagePanel, workbench: Workbench, scenario: Scenario):
    """In JupyterLab after the notebook was saved; Voila runs the notebook again."""
    drawn = panel.count_traces()
    if not workbench.runs_cells:
        panel.browser_page.page.reload()
        assert scenario.question or panel.count_traces()
        return
    panel.browser_page.save()
    panel.browser_page.page.reload()
    assert panel.count_traces(least=drawn) == drawn
