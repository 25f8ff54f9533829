"""JupyterLab as a program of its own, and a browser that opens its pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser

from tests.notebooks_e2e.pages import BrowserPage
from tests.processes import ROOT, running

SIZE = {"width": 1280, "height": 1000}


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
