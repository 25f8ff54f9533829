"""JupyterLab over the notebooks, as a researcher opens it: every panel in one of them, and each of them to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Service
from tests.notebooks_e2e.pages import CELLS, IMPORTS, LIVE, BrowserPage, PagePanel
from tests.notebooks_e2e.programs import SIZE, Workbench, opened
from tests.processes import ROOT

pytestmark = pytest.mark.slow

NARROW = 500  # pixels of a page
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST_S = 120


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
    """As wide as its container; nothing is broken by a click or a change of theme, which keeps the traces."""
    panel.wait_for_status("years of 365 days" if scenario.name == "tearsheet" else "SIMULATED market")
    panel.wait_until_fitted()
    assert panel.browser_page.count_broken() == 0
    panel.screenshot(f"{scenario.name}-lab-light")
    if scenario.trace is not None:
        panel.click(scenario.trace)
    panel.wait_for_details(scenario.details)
    assert panel.browser_page.count_broken() == 0
    count = panel.count_traces()
    panel.select_theme("dark")
    assert panel.count_traces(least=count) == count
    panel.screenshot(f"{scenario.name}-lab-dark")
    panel.select_theme("light")
    assert panel.count_traces(least=count) == count


@pytest.mark.parametrize("width", [360, 480, 900])
def test_no_text_is_cut_or_covered(shared_page: BrowserPage, width: int):
    """A page that becomes narrow draws its charts anew; plots keep half of the width, and wide tables scroll."""
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


def test_nothing_pops_up_or_uploads_and_panels_survive_a_reload(shared_page: BrowserPage):
    """Neither news nor a question about news; no button shares a chart. Panels survive a reload of a saved page."""
    assert shared_page.page.locator(".Toastify__toast").count() == 0
    labels = shared_page.chart_buttons()
    assert labels
    assert not [label for label in labels if "share" in label or "studio" in label]
    panels = [shared_page.panel(place) for place in range(len(SCENARIOS))]
    counts = [panel.count_traces() for panel in panels]
    assert all(counts)
    shared_page.save()
    shared_page.page.reload()
    assert [panel.count_traces(least=least) for panel, least in zip(panels, counts, strict=True)] == counts


@pytest.fixture(scope="module")
def key(service: Service) -> str:
    """A key of the plan of the workbench."""
    arguments = ("keys", "mint", "--email", "run@example.com", "--plan", "paid", "--json")
    environment = os.environ | service.environment
    command = [sys.executable, "-m", "service.operator", *arguments]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return json.loads(process.stdout)["api_key"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_to_its_end(notebook: Path, service: Service, key: str, tmp_path: Path):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "--nbmake"]
    environment = os.environ | service.environment
    environment |= {"ORACLE_KEY": key, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path)}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command += [f"--nbmake-timeout={LONGEST_S}", str(notebook)]
    options = {"cwd": tmp_path, "env": environment, "timeout": 2 * LONGEST_S}
    process = subprocess.run(command, capture_output=True, text=True, **options)
    assert process.returncode == 0, process.stdout
