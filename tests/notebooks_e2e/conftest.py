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

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Error, sync_playwright

from tests.conftest import absent
from tests.notebooks_e2e.pages import BrowserPage
from tests.notebooks_e2e.programs import copied, launched, opened
from tests.processes import free_port, running, wait_until_ready, wait_until_said
from tests.running_service import HISTORY_DAYS

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


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


@dataclass(frozen=True)
class Workbench:
    """A writable copy of the notebooks in JupyterLab, and its address; `query` ends each address."""

    folder: Path
    origin: str
    query: str

    @property
    def root(self) -> str:
        """The address of the list of notebooks."""
        return f"{self.origin}/{self.query}"

    def write(self, name: str, *cells: str) -> str:
        """Write a notebook of these cells and return its address."""
        file = self.folder / "notebooks" / f"{name}.ipynb"
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata={"kernelspec": KERNEL})
        file.write_text(nbformat.writes(notebook))
        return f"{self.origin}/lab/tree/{name}.ipynb{self.query}"


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium."""
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
    """A fresh page."""
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
    """JupyterLab as `make lab` starts it; each notebook opens in an empty workspace."""
    folder, port = copied(tmp_path_factory.mktemp("lab")), free_port()
    with launched(folder, LAB_PORT=str(port), **service.environment) as (process, log):
        token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
        yield Workbench(folder, f"http://127.0.0.1:{port}", f"?reset&token={token}")
