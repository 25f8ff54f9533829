"""The facts of one lane after a click on it."""

from __future__ import annotations

import pandas as pd
import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import number
from service.client import NotFound
from tests.notebooks.conftest import click


@pytest.fixture
def panel(open_panel, stub) -> BattlePanel:
    return open_panel(BattlePanel, stub)


def test_a_click_shows_the_facts_of_a_lane(panel):
    click(panel.traces["lp_wide"].gain, 0)
    lane = next(lane for lane in panel.document["battle"]["lanes"] if lane["name"] == "lp_wide")
    assert lane["label"] in panel.detail.value
    assert f"{lane['pnl_pct']:+,.1f}%" in panel.detail.value
    assert "compared with holding" in panel.detail.value


def test_the_facts_of_a_lane_follow_the_document(panel, stub):
    panel.pick(panel.document["battle"]["lanes"][0]["name"])

    def moved(battle):
        battle["lanes"][0]["pnl_pct"] = 12.34
        return battle

    stub.changes["battle"] = moved
    panel.refresh()
    assert "+12.3%" in panel.detail.value


def test_a_strip_has_the_statuses_and_their_key(panel):
    (key,) = [note.text for note in panel.figure.layout.annotations if note.yref == "y3 domain"]
    for status in ("waiting", "invested", "harvesting", "switching"):
        assert status in key


@pytest.mark.slow
def test_an_unknown_status_stands_out(panel, stub):
    def frozen(history):
        history["lanes"][0]["points"][-1]["status"] = "<b>frozen"
        return history

    stub.changes["battle_history"] = frozen
    panel.refresh()
    statuses = panel.figure.data[0]
    assert statuses.text[0][-1] == "&lt;b&gt;frozen"
    assert statuses.z[0][-1] == statuses.zmax
    assert statuses.colorscale[-1][1] == PALETTES["light"].alarm


def test_holding_bitcoin_is_the_benchmark(panel, client):
    """Its gain is since the start of the lanes, like theirs, whatever the window."""
    first = pd.Timestamp(client.lane_equity("trend", limit=1)["points"][0]["time"])
    bars = list(client.pages("candles", "btc", "1h"))
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
