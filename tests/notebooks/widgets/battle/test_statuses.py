"""The strip of statuses below the curves of the lanes."""

from __future__ import annotations

import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.base.theme import PALETTES


@pytest.fixture
def panel(open_panel, stub) -> BattlePanel:
    return open_panel(BattlePanel, stub)


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
