"""JupyterLab as a program of its own, and a browser that opens its pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser

from tests.notebooks_e2e.pages import BrowserPage
from tests.processes import ROOT, free_port, running, wait_until_said

SIZE = {"width": 1280, "height": 1000}
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}


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


@contextmanager
def opened(browser: Browser) -> Iterator[BrowserPage]:
    """A page in its own context; at the end it must not have requested anything from another host."""
    context = browser.new_context(viewport=SIZE)
    page = BrowserPage.on(context.new_page())
    yield page
    context.close()
    assert page.blocked == []


@contextmanager
def launched(folder: Path, **environment: str) -> Iterator[tuple[subprocess.Popen, Path]]:
    """The launcher in a copy of the project, and its log."""
    log = folder / "log"
    with running([sys.executable, "-m", "notebooks", "lab"], log, folder, LAB_BROWSER="0", **environment) as process:
        yield process, log


def copied(folder: Path) -> Path:
    """A copy of the notebooks, so that a test that saves one changes nothing in the project."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "service").symlink_to(ROOT / "service")
    return folder


@contextmanager
def workbench(parent: Path, **environment: str) -> Iterator[Workbench]:
    """JupyterLab as `make lab` starts it over a copy of the notebooks; each opens in an empty workspace."""
    folder, port = copied(parent), free_port()
    with launched(folder, LAB_PORT=str(port), **environment) as (process, log):
        token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
        yield Workbench(folder, f"http://127.0.0.1:{port}", f"?reset&token={token}")
