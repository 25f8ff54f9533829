"""How long a researcher waits from `make lab` to the first chart, in Chromium: part of `make bench`.

JupyterLab and the service start at the same time. A first start has no history yet; a later one has it.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.measure.figures import Figure
from tests.notebooks_e2e.conftest import copied, launched, opened
from tests.processes import free_port, wait_until_said


def figures(data: Path) -> list[Figure]:
    """Seconds to the chart of `battle.ipynb` over `data`, whose first start is over; nothing without Chromium."""
    path = shutil.which("chromium")
    if not path:
        return []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as empty:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        waited = [_first_chart(browser, folder) for folder in (data, Path(empty))]
        browser.close()
    names = ("first chart after `make lab`", "first chart after `make lab`, first start of the service")
    return [Figure(name, seconds, "s", 10, False) for name, seconds in zip(names, waited, strict=True)]


def _first_chart(browser: Browser, data: Path) -> float:
    port, service = free_port(), free_port()
    with tempfile.TemporaryDirectory() as parent:
        folder = copied(Path(parent))
        settings = {"LAB_PORT": str(port), "DATA_DIR": str(data), "ORACLE_URL": f"http://127.0.0.1:{service}"}
        began = time.perf_counter()
        with launched("lab", folder, **settings) as (process, log), opened(browser) as page:
            token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
            page.page.goto(f"http://127.0.0.1:{port}/lab/tree/battle.ipynb?reset&token={token}")
            page.run_all()
            page.panel().count_traces()
            return time.perf_counter() - began
