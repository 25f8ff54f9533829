"""What one update of each panel costs a kernel, and how long `make lab` takes to its first chart in Chromium.

The battle panel has 120 days of all lanes. A service that does not run yet starts at the same time as the workbench; at
its first start it makes its history before.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import Browser, sync_playwright

from notebooks import widgets
from notebooks.lab import Archive, calibration
from notebooks.widgets.base.chart_panel import ChartPanel
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from service.client import Client
from tests.measure import servers
from tests.measure.servers import Figure
from tests.notebooks_e2e.programs import copied, launched, opened
from tests.processes import ROOT, free_port, wait_until_said

DAYS = 120
UPDATES = 20
PANELS: dict[str, Callable[..., RefreshingPanel]] = {
    "battle": partial(widgets.BattlePanel, days=DAYS),
    "hospital": widgets.HospitalPanel,
    "leaderboard": widgets.LeaderboardPanel,
}
FIRST = "after a first start"


def figures(data: Path) -> list[Figure]:
    """CPU time of an update from the response to the changed figure, of every panel."""
    with servers.service(data) as server, Client(server.address, servers.key({"DATA_DIR": str(data)})) as client:
        took = {name: _refreshed(panel(client, refreshing=False)) for name, panel in PANELS.items()}
        with tempfile.TemporaryDirectory() as folder:
            took["calibration"] = _update_ms(calibration(Archive(client, Path(folder), progress=False)))
    return [Figure(f"one update of the {name} panel", seconds, "ms", 50, False) for name, seconds in took.items()]


def _refreshed(panel: RefreshingPanel) -> float:
    panel.wait_until_loaded()
    return _update_ms(panel)


def _update_ms(panel: ChartPanel) -> float:
    """The median; the document and one with other numbers take turns, so that every curve changes each time."""
    if panel.document is None:
        raise RuntimeError(f"{panel.TITLE}: {panel.status_line.value}")
    documents, took = (panel.document, _changed(panel.document)), []
    for number in range(UPDATES):
        panel.document = documents[(number + 1) % 2]
        began = time.process_time()
        panel.redraw()
        took.append(1000 * (time.process_time() - began))
    panel.close()
    return statistics.median(took)


def _changed(part: Any) -> Any:
    """The same document with every number that is not whole a thousandth smaller."""
    if isinstance(part, dict):
        return {name: _changed(value) for name, value in part.items()}
    if isinstance(part, pd.DataFrame):
        return part
    if isinstance(part, list):
        return [_changed(value) for value in part]
    return part * 0.999 if isinstance(part, float) else part


def first_chart_figures(data: Path) -> list[Figure]:
    """Seconds to the chart of `battle.ipynb`; `data` is of a service whose first start is over. Needs Chromium."""
    path = shutil.which("chromium")
    if not path:
        return []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        seconds = {
            FIRST: _first_chart(browser, Path(folder), free_port()),
            "with a service to start": _first_chart(browser, data, free_port()),
        }
        with servers.service(data) as service:
            seconds["beside a service"] = _first_chart(browser, data, service.port)
        browser.close()
    goals = dict.fromkeys(seconds, 10.0) | {FIRST: 15.0}  # the first start itself may take 10 s
    return [Figure(f"first chart of `make lab` {name}", seconds[name], "s", goals[name], False) for name in seconds]


def _first_chart(browser: Browser, data: Path, service: int) -> float:
    port = free_port()
    with tempfile.TemporaryDirectory() as parent:
        folder = copied(Path(parent))
        (folder / "app.py").symlink_to(ROOT / "app.py")
        settings = {"LAB_PORT": str(port), "DATA_DIR": str(data), "ORACLE_URL": f"http://127.0.0.1:{service}"}
        began = time.perf_counter()
        with launched(folder, **settings) as (process, log), opened(browser) as page:
            token = wait_until_said(r"/lab\S*[?]token=(\w+)", process, log).group(1)
            page.page.goto(f"http://127.0.0.1:{port}/lab/tree/battle.ipynb?reset&token={token}")
            page.run_all()
            page.panel().count_traces()
            return time.perf_counter() - began
