"""Holding bitcoin since the lanes started, beside their gain."""

from __future__ import annotations

import pandas as pd
import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.base.wording import number
from service.client import NotFound


@pytest.fixture
def panel(open_panel, stub) -> BattlePanel:
    return open_panel(BattlePanel, stub)


def test_holding_bitcoin_is_the_benchmark(panel, client):
    """Its gain is since the start of the lanes, like theirs, whatever the window."""
    first = pd.Timestamp(client.lane_equity("trend", limit=1)["points"][0]["time"])
    bars = list(client.all_candles("btc", "1h"))
    entry = next(bar["open"] for bar in bars if pd.Timestamp(bar["time"]) == (first - pd.Timedelta("1s")).floor("h"))
    assert panel.holding_trace.y[-1] == pytest.approx(100 * (bars[-1]["close"] / entry - 1))
    assert pd.to_datetime(panel.holding_trace.x[-1], utc=True) == pd.Timestamp(bars[-1]["time"]) + pd.Timedelta("1h")
    assert f"holding bitcoin {number(panel.holding_trace.y[-1], '+.1f')}%" in panel.figure.layout.title.text


def test_a_world_without_bitcoin_has_no_benchmark(panel, stub):
    def missing(_document):
        raise NotFound(404, {"detail": "This world has no bars of btc."})

    stub.changes["candles"] = missing
    panel.refresh()
    assert panel.fault is None
    assert len(panel.holding_trace.x) == 0
    assert "bitcoin" not in panel.figure.layout.title.text
