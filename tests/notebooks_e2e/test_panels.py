"""Every panel in one notebook of JupyterLab: drawn, clicked, narrow, light and dark, and after a reload of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.pages import CELLS, IMPORTS, BrowserPage, PagePanel
from tests.notebooks_e2e.programs import SIZE, Workbench, opened

pytestmark = pytest.mark.slow

NARROW = 500  # pixels of a page


@dataclass(frozen=True)
class Scenario:
    """A panel by the name of its cell: its table has `details`, of some after a click on a point of `trace`."""

    name: str
    details: str
    trace: int | None = None


SCENARIOS = [
    Scenario("battle", "equity", trace=2),
    Scenario("hospital", "health score", trace=3),
    Scenario("leaderboard", "rule", trace=0),
    Scenario("calibration", "Brier score"),
    Scenario("tearsheet", "Sortino"),
]


@pytest.fixture(scope="module")
def shared_page(lab: Workbench, browser: Browser) -> Iterator[BrowserPage]:
    """A notebook with all panels after its cells ran."""
    with opened(browser) as page:
        page.page.goto(lab.write("panels", IMPORTS, *(CELLS[scenario.name] for scenario in SCENARIOS)))
        page.run_all()
        page.panel(len(SCENARIOS) - 1).box.wait_for(state="attached")
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
    panel.count_traces()
    return panel


def test_a_panel_is_drawn_and_states_its_world(panel: PagePanel, scenario: Scenario):
    """As wide as its container; no widget is broken."""
    panel.wait_for_status("years of 365 days" if scenario.name == "tearsheet" else "SIMULATED market")
    panel.wait_until_fitted()
    assert panel.browser_page.count_broken() == 0
    panel.screenshot(f"{scenario.name}-lab-light")


def test_a_click_shows_details(panel: PagePanel, scenario: Scenario):
    if scenario.trace is not None:
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


@pytest.mark.parametrize("width", [360, 480, 900])
def test_no_text_is_cut_or_covered(shared_page: BrowserPage, width: int):
    """A page that becomes narrow draws its charts anew, with as many lines as titles need; wide tables scroll.

    On a narrow page the plot keeps at least half of the width of its chart; no button covers a title.
    """
    cut, narrow, overlaps = {}, [], []
    shared_page.page.set_viewport_size({"width": width, "height": 2400})
    for place, scenario in enumerate(SCENARIOS):
        panel = shared_page.panel(place)
        panel.box.scroll_into_view_if_needed()
        panel.wait_until_fitted()
        panel.screenshot(f"{scenario.name}-lab-light-{width}")
        cut[scenario.name] = panel.cut_texts() + panel.cut_tables()
        narrow += [scenario.name] if width < NARROW and panel.share_of_plot() < 0.5 else []
        overlaps += [scenario.name] if panel.is_title_covered() else []
    shared_page.page.set_viewport_size(SIZE)
    assert cut == {scenario.name: [] for scenario in SCENARIOS}
    assert (narrow, overlaps) == ([], [])


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
