"""Every panel in one notebook of JupyterLab: drawn, clicked, narrow, light and dark, and after a reload of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Workbench
from tests.notebooks_e2e.pages import BrowserPage, PagePanel
from tests.notebooks_e2e.programs import SIZE, opened

pytestmark = pytest.mark.slow

QUESTION = "Will bitcoin be higher at the end of this month?"


@dataclass(frozen=True)
class Scenario:
    """A panel: a click on a point of `trace` shows `details`.

    Before the click, the button `pressed` is pressed or `question` is asked.
    """

    panel: str
    trace: int
    details: str
    pressed: str = ""
    question: str = ""

    @property
    def name(self) -> str:
        return self.panel.removesuffix("Panel").lower()


SCENARIOS = [
    Scenario("BattlePanel", 2, "equity"),
    Scenario("HospitalPanel", 3, "health score"),
    Scenario("LeaderboardPanel", 0, "rule"),
    Scenario("PredictionsPanel", 8, "resolution", pressed="open markets"),
    Scenario("ForecastPanel", 4, "sigma"),
    Scenario("OraclePanel", 1, "reasoning", question=QUESTION),
    Scenario("ApexPanel", 1, "backfilled"),
]


@pytest.fixture(scope="module")
def shared_page(lab: Workbench, browser: Browser) -> Iterator[BrowserPage]:
    """A notebook with all panels after its cells ran."""
    names = [scenario.panel for scenario in SCENARIOS]
    cells = [f"from notebooks.widgets import connect, {', '.join(names)}", *(f"{name}(connect())" for name in names)]
    with opened(browser) as page:
        page.page.goto(lab.write("panels", *cells))
        page.run_all()
        page.panel(len(names) - 1).box.wait_for(state="attached")
        page.hide_files()
        yield page


@pytest.fixture(scope="module", params=SCENARIOS, ids=lambda scenario: scenario.name)
def scenario(request) -> Scenario:
    return request.param


@pytest.fixture(scope="module")
def panel(shared_page: BrowserPage, scenario: Scenario) -> PagePanel:
    """The panel of a scenario, drawn."""
    panel = shared_page.panel(SCENARIOS.index(scenario))
    panel.box.scroll_into_view_if_needed()
    if scenario.question:
        panel.ask(scenario.question)
    panel.count_traces()
    return panel


def test_a_panel_is_drawn_and_states_its_world(panel: PagePanel, scenario: Scenario):
    """As wide as its container; no widget is broken."""
    panel.wait_for_status("SIMULATED market")
    panel.wait_until_fitted()
    assert panel.browser_page.count_broken() == 0
    panel.screenshot(f"{scenario.name}-lab-light")


def test_a_click_shows_details(panel: PagePanel, scenario: Scenario):
    if scenario.pressed:
        panel.press(scenario.pressed)
        panel.wait_for_status("of the key's daily calls")
    panel.click(scenario.trace)
    panel.wait_for_details(scenario.details)
    assert panel.browser_page.count_broken() == 0


def test_a_change_of_theme_keeps_the_traces(panel: PagePanel, scenario: Scenario):
    """To dark and back to light."""
    count = panel.count_traces()
    panel.select_theme("dark")
    assert panel.count_traces(least=count) == count
    panel.screenshot(f"{scenario.name}-lab-dark")
    panel.select_theme("light")
    assert panel.count_traces(least=count) == count


def test_no_text_is_cut_on_a_narrow_page(shared_page: BrowserPage):
    """A page that becomes narrow draws its charts anew, with as many lines as titles need; wide tables scroll."""
    cut = {}
    shared_page.page.set_viewport_size({"width": 480, "height": 2400})
    for place, scenario in enumerate(SCENARIOS):
        panel = shared_page.panel(place)
        panel.box.scroll_into_view_if_needed()
        panel.wait_until_fitted()
        panel.screenshot(f"{scenario.name}-lab-light-480")
        cut[scenario.name] = panel.cut_texts() + panel.cut_tables()
    shared_page.page.set_viewport_size(SIZE)
    assert cut == {scenario.name: [] for scenario in SCENARIOS}


def test_nothing_pops_up_and_no_chart_uploads_data(shared_page: BrowserPage):
    """Neither news nor a question about news; no button shares a chart."""
    assert shared_page.page.locator(".Toastify__toast").count() == 0
    labels = shared_page.chart_buttons()
    assert labels
    assert not [label for label in labels if "share" in label or "studio" in label]


def test_the_panels_survive_a_reload_of_their_page(shared_page: BrowserPage):
    """After the notebook was saved."""
    panels = [shared_page.panel(place) for place in range(len(SCENARIOS))]
    counts = [panel.count_traces() for panel in panels]
    assert all(counts)
    shared_page.save()
    shared_page.page.reload()
    assert [panel.count_traces(least=least) for panel, least in zip(panels, counts, strict=True)] == counts
