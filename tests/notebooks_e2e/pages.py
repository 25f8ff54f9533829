"""The notebooks as they are seen in Chromium: opened, run, waited for, kept as pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route

from tests.processes import ROOT

if TYPE_CHECKING:
    from tests.notebooks_e2e.conftest import Service

PATIENCE_MS = 60_000
ARTIFACTS = Path(os.environ.get("ARTIFACTS") or ROOT / "var" / "artifacts" / "notebooks")
TRACES = ".scatterlayer .trace"
# A notebook whose panel looks again every second.
LIVE = ("from notebooks.widgets import BattlePanel, connect", "BattlePanel(connect(), every_s=1)")
COUNTED = "([marks, least]) => document.querySelectorAll(marks).length >= least"


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

    def traces(self, least: int = 1) -> int:
        """How many curves and marks are drawn, once there are `least`."""
        self.page.wait_for_function(COUNTED, arg=[TRACES, least])
        return self.page.locator(TRACES).count()

    def tells(self, text: str) -> None:
        """Wait until the line above the chart holds `text`."""
        self.page.locator("[role=status]", has_text=text).first.wait_for()

    @contextmanager
    def dark(self) -> Iterator[None]:
        """The dark theme, chosen in the panel's own control, and then the light one again."""
        self._turn("dark")
        yield
        self._turn("light")

    def _turn(self, theme: str) -> None:
        self.page.locator("select").filter(has_text="dark").select_option(theme)
        self.page.locator(f".ninefold-{theme}").wait_for()

    def outlives(self, service: Service) -> None:
        """Stop the service and start it again: the panel tells both by itself, and keeps its chart meanwhile."""
        drawn = self.traces(least=6)
        with service.stopped():
            self.tells("No new data since")
            assert self.traces() == drawn
        self.tells("SIMULATED market")

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
