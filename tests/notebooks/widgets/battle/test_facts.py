"""The facts of one lane after a click on it."""

from __future__ import annotations

import pytest

from notebooks.widgets import BattlePanel
from tests.notebooks.widgets.clicks import click


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
