"""What one update of the battle panel costs a notebook's kernel, with 120 days of all lanes."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from notebooks.widgets import BattlePanel
from service.client import Client
from tests.measure import servers
from tests.measure.figures import Figure

DAYS = 120
UPDATES = 20


def figures(data: Path) -> list[Figure]:
    """CPU time of an update from the answer to the changed figure; documents of two lengths take turns."""
    with servers.service(data) as server, Client(server.address) as client:
        panel = BattlePanel(client, refreshing=False)
        panel.wait_until_loaded()
        documents = []
        for days in (30, DAYS):
            panel.span.value = days
            panel.refresh()
            documents.append(panel.document)
        took = []
        for _ in range(UPDATES):
            for panel.document in documents:
                began = time.process_time()
                panel.redraw()
                took.append(1000 * (time.process_time() - began))
        panel.close()
    return [Figure(f"one update of the battle panel with {DAYS} days", statistics.median(took[1::2]), "ms", 50, False)]
