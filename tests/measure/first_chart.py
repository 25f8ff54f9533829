"""How long a researcher waits from `make lab` to the first chart, in Chromium: part of `make bench`.

A service that does not run yet starts at the same time; at its first start it makes its history before.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.measure import servers
from tests.measure.figures import Figure
from tests.notebooks_e2e.programs import copied, launched, opened
from tests.processes import ROOT, free_port, wait_until_said

FIRST = "after a first start"


def figures(data: Path) -> list[Figure]:
    """Seconds to the chart of `battle.ipynb`; `data` is of a service whose first start is over. Needs Chromium."""
    path = shutil.which("chromium")
    if not path:
        return []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as empty:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        waited = {
            FIRST: _first_chart(browser, Path(empty), free_port()),
            "with a service to start": _first_chart(browser, data, free_port()),
        }
        with servers.service(data) as service:
            waited["beside a service"] = _first_chart(browser, data, service.port)
        browser.close()
    goals = dict.fromkeys(waited, 10.0) | {FIRST: 15.0}  # the first start itself may take 10 s
    return [Figure(f"first chart of `make lab` {name}", waited[name], "s", goals[name], False) for name in waited]


def _first_chart(browser: Browser, data: Path, service: int) -> float:
    port = free_port()
    with tempfile.TemporaryDirectory() as parent:
        folder = copied(Path(parent))
        (folder / "app.py").symlink_to(ROOT / "app.py")
        settings = {"LAB_PORT": str(port), "DATA_DIR": str(data), "ORACLE_URL": f"http://127.0.0.1:{service}"}
        began = time.perf_counter()
        with launched("lab", folder, **settings) as (process, log), opened(browser) as page:
            token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
            page.page.goto(f"http://127.0.0.1:{port}/lab/tree/battle.ipynb?reset&token={token}")
            page.run_all()
            page.panel().count_traces()
            return time.perf_counter() - began
