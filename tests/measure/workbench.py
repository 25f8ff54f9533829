"""What one update of each panel costs a notebook's kernel; the battle panel has 120 days of all lanes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from notebooks import widgets
from notebooks.widgets.base.chart_panel import ChartPanel
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from service.client import Client
from tests.measure import asking, servers
from tests.measure.figures import Figure

DAYS = 120
UPDATES = 20
PANELS: dict[str, Callable[..., RefreshingPanel]] = {
    "apex": widgets.ApexPanel,
    "battle": partial(widgets.BattlePanel, days=DAYS),
    "forecast": widgets.ForecastPanel,
    "hospital": widgets.HospitalPanel,
    "leaderboard": widgets.LeaderboardPanel,
    "predictions": widgets.PredictionsPanel,
}
QUESTION = "Will bitcoin rise more than 1% this week?"


def figures(data: Path) -> list[Figure]:
    """CPU time of an update from the response to the changed figure, of every panel."""
    with servers.service(data) as server, Client(server.address, asking.key({"DATA_DIR": str(data)})) as client:
        took = {name: _refreshed(panel(client, refreshing=False)) for name, panel in PANELS.items()}
        took["oracle"] = _answered(widgets.OraclePanel(client))
    return [Figure(f"one update of the {name} panel", each, "ms", 50, False) for name, each in took.items()]


def _refreshed(panel: RefreshingPanel) -> float:
    panel.wait_until_loaded()
    return _update_ms(panel)


def _answered(panel: widgets.OraclePanel) -> float:
    panel.ask(QUESTION, wait=True)
    return _update_ms(panel)


def _update_ms(panel: ChartPanel) -> float:
    """The median; the document and one with other numbers take turns, so that every curve changes each time."""
    if panel.document is None:
        raise RuntimeError(f"{panel.TITLE}: {panel.fault}")
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
    if isinstance(part, list):
        return [_changed(value) for value in part]
    return part * 0.999 if isinstance(part, float) else part
