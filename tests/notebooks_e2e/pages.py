"""The notebooks as they are seen in Chromium: opened, run, waited for, kept as pictures."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, Route

from tests.processes import ROOT

if TYPE_CHECKING:
    from tests.notebooks_e2e.conftest import Service

PATIENCE_MS = 30_000
ARTIFACTS = Path(os.environ.get("ARTIFACTS") or ROOT / "var" / "artifacts" / "notebooks")
TRACES = ".scatterlayer .trace, .barlayer .trace"
FITTED = "chart => Math.abs(chart.querySelector('.main-svg').getAttribute('width') - chart.clientWidth) < 2"
# Where on the page the middle point of a trace is.
PLACE = """(chart, number) => {
  const trace = chart._fullData[number], middle = Math.floor(trace.x.length / 2);
  const place = (id, value) => {
    const axis = chart._fullLayout[`${id[0]}axis${id.slice(1)}`];
    return axis._offset + axis.d2p(value);
  };
  const { left, top } = chart.getBoundingClientRect();
  const x = trace.type === "bar" ? trace.x[middle] / 2 : trace.x[middle];
  return [left + place(trace.xaxis, x), top + place(trace.yaxis, trace.y[middle])];
}"""
# A notebook whose panels look again every few seconds; the leaderboard's looks cost the key's calls.
LIVE = (
    "from notebooks.widgets import ApexPanel, BattlePanel, HospitalPanel, LeaderboardPanel, PredictionsPanel, connect",
    "BattlePanel(connect(), every_s=3)",
    "HospitalPanel(connect(), every_s=3)",
    "LeaderboardPanel(connect(), every_s=6)",
    "PredictionsPanel(connect(), every_s=3)",
    "ApexPanel(connect(), every_s=3)",
)


@dataclass
class Sight:
    """A page of Chromium that reaches nothing but this machine; `elsewhere` holds what it asked of others."""

    page: Page
    elsewhere: list[str]

    @classmethod
    def on(cls, page: Page) -> Sight:
        sight = cls(page, [])
        page.set_default_timeout(PATIENCE_MS)
        page.route("**/*", sight._let_through)
        return sight

    def _let_through(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in ("data", "blob") or address.hostname == "127.0.0.1":
            route.continue_()
            return
        self.elsewhere.append(route.request.url)
        route.abort()

    def run_all(self) -> None:
        """Run every cell of the notebook that is open in JupyterLab, by its menu, once its kernel is there."""
        self.page.get_by_text("| Idle").wait_for()
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    def save(self) -> None:
        """Save the notebook that is open in JupyterLab, and wait until it is."""
        self.page.locator(".jp-Notebook").focus()
        with self.page.expect_response(lambda answer: answer.request.method == "PUT" and ".ipynb" in answer.url):
            self.page.keyboard.press("Control+s")

    def panel(self, place: int = 0) -> Panel:
        """The panel at a place of the notebook, from 0."""
        return Panel(self, self.page.locator("[class*=ninefold-]").nth(place))

    def outlives(self, service: Service) -> None:
        """Stop the service and start it again: every panel tells both by itself, and keeps its chart meanwhile."""
        panels = [self.panel(place) for place in range(len(LIVE) - 1)]
        for panel in panels:
            panel.tells("SIMULATED market")
        drawn = [panel.traces() for panel in panels]
        assert all(drawn)
        with service.stopped():
            for panel in panels:
                panel.tells("No new data since")
            assert [panel.traces() for panel in panels] == drawn
        for panel in panels:
            panel.tells("SIMULATED market")

    def offers(self) -> list[str]:
        """What the buttons of the chart offer, in lower case."""
        buttons = self.page.locator(".modebar-btn")
        return buttons.evaluate_all("all => all.map(one => (one.dataset.title || one.ariaLabel || '').toLowerCase())")

    def broken(self) -> int:
        """How many widgets could not be drawn."""
        return self.page.get_by_text("javascript error").count()

    def picture(self, name: str) -> None:
        """Keep what is seen."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")


@dataclass
class Panel:
    """One panel of a page; `box` holds its controls, its line of state, its chart and its details."""

    sight: Sight
    box: Locator

    def traces(self, least: int = 1) -> int:
        """How many curves, marks and bars are drawn, once there are `least`."""
        drawn = self.box.locator(TRACES)
        drawn.nth(least - 1).wait_for(state="attached")
        return drawn.count()

    def tells(self, text: str) -> None:
        """Wait until its line of state holds `text`."""
        self.box.locator("[role=status]", has_text=text).wait_for()

    def details(self, text: str) -> None:
        """Wait until its details hold `text`."""
        self.box.locator("table", has_text=text).first.wait_for()

    def press(self, label: str) -> None:
        """Press one of its buttons."""
        self.box.get_by_role("button", name=label).click()

    def ask(self, question: str) -> None:
        """Ask it a question, and wait until everybody has voted."""
        field = self.box.get_by_role("textbox")
        field.fill(question)
        field.press("Enter")
        self.box.get_by_text("9 of 9 have voted").wait_for()

    def turn(self, theme: str) -> None:
        """Choose a theme in its own control."""
        self.box.locator("select").filter(has_text="dark").select_option(theme)
        self.box.and_(self.sight.page.locator(f".ninefold-{theme}")).wait_for()

    def click(self, trace: int) -> None:
        """Click in the middle of a trace."""
        chart = self.box.locator(".js-plotly-plot")
        chart.scroll_into_view_if_needed()
        self.sight.page.mouse.move(*chart.evaluate(PLACE, trace))
        self.box.locator(".hoverlayer .hovertext").first.wait_for()
        self.sight.page.mouse.down()
        self.sight.page.mouse.up()

    def is_fitted(self) -> None:
        """Wait until its chart is as wide as it may be."""
        chart = self.box.locator(".js-plotly-plot").element_handle()
        self.sight.page.wait_for_function(FITTED, arg=chart)

    def picture(self, name: str) -> None:
        """Keep what is seen of it."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.box.screenshot(path=ARTIFACTS / f"{name}.png")
