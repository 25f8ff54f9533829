"""The notebooks in Chromium: open, run and click them, and take screenshots."""

from __future__ import annotations

import os
import re
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, Route, TimeoutError

from tests.processes import ROOT

if TYPE_CHECKING:
    from tests.notebooks_e2e.conftest import Service

RUN_MS = 10_000
PATIENCE_MS = 90_000  # a machine that runs other tests can need a minute for a page
AROUND = 400  # pixels of JupyterLab above and below a notebook, and to spare
ARTIFACTS = Path(os.environ.get("ARTIFACTS") or ROOT / "var" / "artifacts" / "notebooks")
TRACES = ".scatterlayer .trace, .barlayer .trace"
FIT = "chart => Math.abs(chart.querySelector('.main-svg').getAttribute('width') - chart.clientWidth) < 2"
# Texts that are drawn, and reach out of their chart.
CUT_TEXTS = """chart => {
  const { left, right } = chart.getBoundingClientRect();
  return [...chart.querySelectorAll(".main-svg text")].filter((text) => {
    const place = text.getBoundingClientRect();
    return place.width && text.checkVisibility() && (place.left < left - 1 || place.right > right + 1);
  }).map(text => text.textContent);
}"""
# Tables that reach out of the panel, or out of an element that does not scroll.
CUT_TABLES = """box => [...box.querySelectorAll("table")].filter((table) => {
  const holder = table.parentElement, right = (element) => element.getBoundingClientRect().right;
  const scrolls = getComputedStyle(holder).overflowX === "auto";
  return right(holder) > right(box) + 1 || (right(table) > right(holder) + 1 && !scrolls);
}).map(table => table.parentElement.textContent.slice(0, 40))"""
# Whether the buttons of a chart, which show at the pointer, cover its title.
IS_TITLE_COVERED = """chart => {
  const buttons = chart.querySelector(".modebar")?.getBoundingClientRect();
  const { right, top } = chart.querySelector(".gtitle").getBoundingClientRect();
  return Boolean(buttons?.width) && right > buttons.left && top < buttons.bottom;
}"""
# The place on the page of the middle point of a trace, scrolled into view: JupyterLab shows less than a page is high.
PLACE = """(chart, number) => {
  const trace = chart._fullData[number], middle = Math.floor(trace.x.length / 2);
  const place = (id, value) => {
    const axis = chart._fullLayout[`${id[0]}axis${id.slice(1)}`];
    return axis._offset + axis.d2p(value);
  };
  const x = trace.type === "bar" ? trace.x[middle] / 2 : trace.x[middle];
  const mark = document.createElement("i"), at = [place(trace.xaxis, x), place(trace.yaxis, trace.y[middle])];
  mark.style.cssText = `position: absolute; left: ${at[0]}px; top: ${at[1]}px; width: 1px; height: 1px`;
  chart.querySelector(".svg-container").append(mark);
  mark.scrollIntoView({ block: "center" });
  mark.remove();
  const { left, top } = chart.getBoundingClientRect();
  return [left + at[0], top + at[1]];
}"""
# A notebook with every panel: what it imports, and the cell of each.
IMPORTS = "from ninefold_lab import BattlePanel, HospitalPanel, LeaderboardPanel, connect, lab"
CELLS = {
    "battle": "BattlePanel(connect())",
    "hospital": "HospitalPanel(connect())",
    "leaderboard": "LeaderboardPanel(connect())",
    "calibration": "lab.calibration(lab.Archive(connect()))",
    "tearsheet": "lab.tearsheet(lab.Archive(connect()).lane_equity('trend')['equity_usd'])",
}
# A notebook whose panels refresh every few seconds; the leaderboard uses calls of the key.
LIVE = (
    "from ninefold_lab import BattlePanel, HospitalPanel, LeaderboardPanel, connect",
    "BattlePanel(connect(), every_s=3)",
    "HospitalPanel(connect(), every_s=3)",
    "LeaderboardPanel(connect(), every_s=6)",
)


@dataclass
class BrowserPage:
    """A page of Chromium that reaches only this machine; `blocked` holds its requests to other hosts."""

    page: Page
    blocked: list[str]

    @classmethod
    def on(cls, page: Page) -> BrowserPage:
        browser_page = cls(page, [])
        page.set_default_timeout(PATIENCE_MS)
        page.route("**/*", browser_page._filter)
        return browser_page

    def _filter(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if address.scheme in ("data", "blob") or address.hostname == "127.0.0.1":
            route.continue_()
            return
        self.blocked.append(route.request.url)
        route.abort()

    def slow_down(self, times: int) -> None:
        """Let the page compute this many times slower."""
        self.page.context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": times})

    def run_all(self) -> None:
        """Run every cell of the notebook that is open in JupyterLab by its menu, once its kernel is ready.

        JupyterLab does nothing, without a word, where the notebook is not the current one yet; then it is asked again.
        """
        self.page.get_by_text("| Idle").wait_for()
        is_run = self.page.locator(".jp-InputPrompt").filter(has_text=re.compile(r"\[(\*|\d+)\]")).first
        for _ in range(5):
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            with suppress(TimeoutError):
                is_run.wait_for(timeout=RUN_MS)
                return
        raise AssertionError("JupyterLab did not run the notebook")

    def outputs(self) -> str:
        """What the cells of the notebook in JupyterLab printed, errors too."""
        return "\n".join(self.page.locator(".jp-OutputArea-output").all_inner_texts())

    def save(self) -> None:
        """Save the notebook that is open in JupyterLab, and wait for the response."""
        self.page.locator(".jp-Notebook").focus()
        with self.page.expect_response(lambda response: response.request.method == "PUT" and ".ipynb" in response.url):
            self.page.keyboard.press("Control+s")

    def panel(self, place: int = 0) -> PagePanel:
        """The panel with a number on the page, counted from 0."""
        return PagePanel(self, self.page.locator("[class*=ninefold-]").nth(place))

    def restart(self, service: Service) -> None:
        """Stop the service and start it again: every panel reports both, and keeps its chart meanwhile."""
        panels = [self.panel(place) for place in range(len(LIVE) - 1)]
        for panel in panels:
            panel.wait_for_status("SIMULATED market")
        counts = [panel.count_traces() for panel in panels]
        assert all(counts)
        with service.stopped():
            for panel in panels:
                panel.wait_for_status("No new data since")
            assert [panel.count_traces() for panel in panels] == counts
        for panel in panels:
            panel.wait_for_status("SIMULATED market")

    def hide_files(self) -> None:
        """Hide JupyterLab's list of files, which would leave nothing for the notebook on a narrow page."""
        self.page.evaluate("document.activeElement.blur()")  # a field that has the focus takes every key
        self.page.keyboard.press("Control+b")
        self.page.locator("#jp-left-stack").wait_for(state="hidden")

    def chart_buttons(self) -> list[str]:
        buttons = self.page.locator(".modebar-btn")
        return buttons.evaluate_all(
            "all => all.map(button => (button.dataset.title || button.ariaLabel || '').toLowerCase())"
        )

    def count_broken(self) -> int:
        """The number of widgets that could not be drawn."""
        return self.page.get_by_text("javascript error").count()

    def screenshot(self, name: str) -> None:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")


@dataclass
class PagePanel:
    """One panel of a page; `box` holds its controls, its status line, its chart and its details."""

    browser_page: BrowserPage
    box: Locator

    def count_traces(self, least: int = 1) -> int:
        """The number of drawn curves, marks and bars, once there are `least`."""
        traces = self.box.locator(TRACES)
        traces.nth(least - 1).wait_for(state="attached")
        return traces.count()

    def wait_for_status(self, text: str) -> None:
        """Scroll to it and wait until its status line contains `text`; a panel out of view requests nothing."""
        self.box.scroll_into_view_if_needed()
        self.box.locator("[role=status]", has_text=text).wait_for()

    def wait_for_details(self, text: str) -> None:
        self.box.locator("table", has_text=text).first.wait_for()

    def select_theme(self, theme: str) -> None:
        self.box.locator("select").filter(has_text="dark").select_option(theme)
        self.box.and_(self.browser_page.page.locator(f".ninefold-{theme}")).wait_for()

    def click(self, trace: int) -> None:
        """Click in the middle of a trace; the mouse comes back to a chart that was drawn again meanwhile."""
        chart, mouse = self.box.locator(".js-plotly-plot"), self.browser_page.page.mouse
        label = self.box.locator(".hoverlayer .hovertext").first
        for left_ms in range(PATIENCE_MS, 0, -RUN_MS):
            mouse.move(0, 0)
            mouse.move(*chart.evaluate(PLACE, trace))
            with suppress(TimeoutError) if left_ms > RUN_MS else nullcontext():
                label.wait_for(timeout=RUN_MS)
                break
        mouse.down()
        mouse.up()

    def wait_until_fitted(self) -> None:
        chart = self.box.locator(".js-plotly-plot").element_handle()
        self.browser_page.page.wait_for_function(FIT, arg=chart)

    def cut_texts(self) -> list[str]:
        """The texts that reach out of its chart."""
        return self.box.locator(".js-plotly-plot").evaluate(CUT_TEXTS)

    def is_title_covered(self) -> bool:
        return self.box.locator(".js-plotly-plot").evaluate(IS_TITLE_COVERED)

    def share_of_plot(self) -> float:
        """The width of its plot, as a fraction of that of its chart."""
        return self.box.locator(".js-plotly-plot").evaluate("chart => chart._fullLayout._size.w / chart.clientWidth")

    def cut_tables(self) -> list[str]:
        """The beginnings of its tables whose end cannot be reached."""
        return self.box.evaluate(CUT_TABLES)

    def screenshot(self, name: str) -> None:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        (ARTIFACTS / f"{name}.png").write_bytes(self.picture())

    def picture(self) -> bytes:
        """A screenshot of the panel as PNG, all of it: the window is as high as it needs meanwhile."""
        page, box = self.browser_page.page, self.box.bounding_box()
        window = page.viewport_size
        assert box
        assert window
        page.set_viewport_size({"width": window["width"], "height": max(window["height"], int(box["height"]) + AROUND)})
        self.box.scroll_into_view_if_needed()
        picture = self.box.screenshot()
        page.set_viewport_size(window)
        return picture
