"""A service, JupyterLab and Voila over a copy of the notebooks, each a process of its own, and Chromium to look at it.

Where there is no Chromium the tests are skipped with the reason; with CI=true they fail.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import absent
from tests.notebooks_e2e.pages import Sight
from tests.processes import ROOT, free_port, running, wait_until_ready, wait_until_said

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
SIZE = {"width": 1280, "height": 1000}


@dataclass
class Service:
    """A service that can be stopped and started again where it was."""

    folder: Path
    port: int = field(default_factory=free_port)
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def environment(self) -> dict[str, str]:
        return {"DATA_DIR": str(self.folder / "var"), "ORACLE_URL": f"http://127.0.0.1:{self.port}"}

    def start(self, *needed: str) -> None:
        """Start it, and wait until it answers at its paths `needed` too."""
        log = self.folder / "log"
        options = {"DATA_DIR": str(self.folder / "var"), "PORT": str(self.port), "HISTORY_DAYS": "120"}
        process = self._running.enter_context(running([sys.executable, "app.py"], log, **options))
        for path in ("/readyz", *needed):
            wait_until_ready(self.port, process, log, path)

    def stop(self) -> None:
        self._running.close()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Not there for a while."""
        self.stop()
        try:
            yield
        finally:
            self.start()


@dataclass(frozen=True)
class Workbench:
    """A copy of the project's notebooks that may be written to, and where it is served; `ask` ends each address.

    `name` is lab or voila.
    """

    name: str
    folder: Path
    origin: str
    within: str
    ask: str = ""

    @property
    def runs_cells(self) -> bool:
        """Whether the reader runs the cells, and saves what came of them."""
        return self.name == "lab"

    @property
    def root(self) -> str:
        """Where all of them are listed."""
        return f"{self.origin}/{self.ask}"

    def at(self, name: str) -> str:
        """Where the notebook `name` is served."""
        return f"{self.origin}/{self.within}/{name}.ipynb{self.ask}"

    def write(self, name: str, *cells: str) -> str:
        """Another notebook of these cells; gives where it is served."""
        file = self.folder / "notebooks" / f"{name}.ipynb"
        made = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata={"kernelspec": KERNEL})
        file.write_text(nbformat.writes(made))
        return self.at(name)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Debian's Chromium."""
    found = shutil.which("chromium")
    if not found:
        absent("no chromium: the notebooks' end-to-end tests need it (apt-get install chromium)")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for a file of tests: while it is open, no other loop of asyncio can run in this process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def sight(browser: Browser) -> Iterator[Sight]:
    """A fresh page."""
    with seen(browser) as sight:
        yield sight


@contextmanager
def seen(browser: Browser) -> Iterator[Sight]:
    """A page of its own; whatever is done on it, nothing may have been asked of another host."""
    context = browser.new_context(viewport=SIZE)
    sight = Sight.on(context.new_page())
    yield sight
    context.close()
    assert sight.elsewhere == []


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Service]:
    """A service with a track record, after its first start in the simulated world."""
    service = Service(tmp_path_factory.mktemp("service"))
    service.start("/api/predictions/ai-vs-market")
    yield service
    service.stop()


@pytest.fixture(scope="session")
def lab(service: Service, tmp_path_factory) -> Iterator[Workbench]:
    """JupyterLab as `make lab` starts it; each notebook is opened in a workspace without anything else."""
    folder, port = copied(tmp_path_factory.mktemp("lab")), free_port()
    with launched("lab", folder, LAB_PORT=str(port), **service.environment) as (process, log):
        token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
        yield Workbench("lab", folder, f"http://127.0.0.1:{port}", "lab/tree", f"?reset&token={token}")


@pytest.fixture(scope="session")
def voila(service: Service, tmp_path_factory) -> Iterator[Workbench]:
    """The pages as `make voila` serves them."""
    folder, port = copied(tmp_path_factory.mktemp("voila")), free_port()
    with launched("voila", folder, VOILA_PORT=str(port), **service.environment) as (process, log):
        wait_until_ready(port, process, log, "/")
        yield Workbench("voila", folder, f"http://127.0.0.1:{port}", "voila/render")


@contextmanager
def launched(what: str, folder: Path, **environment: str) -> Iterator[tuple[subprocess.Popen, Path]]:
    """The launcher in a copied project, and what it says."""
    log = folder / "log"
    with running([sys.executable, "-m", "notebooks", what], log, folder, LAB_BROWSER="0", **environment) as process:
        yield process, log


def copied(folder: Path) -> Path:
    """The notebooks in a project of their own, so that a test that saves one changes nothing."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "service").symlink_to(ROOT / "service")
    return folder
