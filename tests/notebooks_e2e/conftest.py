"""A service and JupyterLab over a copy of the notebooks, each in its own process, and Chromium.

Without Chromium the tests are skipped with the reason; with CI=true they fail.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.conftest import absent
from tests.notebooks_e2e.pages import BrowserPage
from tests.notebooks_e2e.programs import Workbench, opened, workbench
from tests.processes import free_port, running, wait_until_ready
from tests.running_service import HISTORY_DAYS


@dataclass
class Service:
    """A service that can be stopped and started again with its data and its port."""

    folder: Path
    port: int = field(default_factory=free_port)
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def environment(self) -> dict[str, str]:
        return {"DATA_DIR": str(self.folder / "var"), "ORACLE_URL": f"http://127.0.0.1:{self.port}"}

    def start(self, *paths: str) -> None:
        """Start it, and wait until it is ready and responds at `paths`."""
        log = self.folder / "log"
        options = {"DATA_DIR": str(self.folder / "var"), "PORT": str(self.port), "HISTORY_DAYS": str(HISTORY_DAYS)}
        process = self._running.enter_context(running([sys.executable, "app.py"], log, **options))
        for path in ("/readyz", *paths):
            wait_until_ready(self.port, process, log, path)

    def stop(self) -> None:
        self._running.close()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The service is stopped inside the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()


@pytest.fixture(scope="session")
def chromium() -> str:
    path = shutil.which("chromium")
    if not path:
        absent("no chromium: the notebooks' end-to-end tests need it (apt-get install chromium)")
    return path


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser per test file: while it is open, no other asyncio loop can run in this process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[BrowserPage]:
    with opened(browser) as page:
        yield page


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the cells of a page printed where its test failed."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page is not None:
        with suppress(Error):  # of a page that is closed
            report.sections.append(("outputs of the page", page.outputs()))
    return report


@pytest.fixture(scope="session")
def service(present: Path, tmp_path_factory) -> Iterator[Service]:
    """A service with a track record, after its first start in the simulated world."""
    service = Service(tmp_path_factory.mktemp("service"))
    shutil.copytree(present, service.folder / "var")
    service.start("/api/predictions/ai-vs-market")
    yield service
    service.stop()


@pytest.fixture(scope="session")
def lab(service: Service, tmp_path_factory) -> Iterator[Workbench]:
    """JupyterLab as `make lab` starts it."""
    with workbench(tmp_path_factory.mktemp("lab"), **service.environment) as lab:
        yield lab
