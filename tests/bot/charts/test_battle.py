"""The charts of the lanes."""

from __future__ import annotations

from bot import charts
from tests.bot import documents, examples
from tests.bot.charts.drawing import record


def test_the_title_names_the_best_lane(drawn):
    assert drawn["lanes"].title.startswith("lp_chaser leads with +15.1%")


def test_lanes_that_provide_liquidity_are_dashed(drawn):
    curves = [line for line in drawn["lanes"].figure.axes[0].lines if len(line.get_xdata()) > 10]
    assert [line.get_linestyle() for line in curves] == ["-", "-", "-", "-", "--", "--"]


def test_an_unknown_kind_of_event_is_marked_and_named():
    """An event of a kind that this version does not know is shown."""
    history = documents.history()
    history["lanes"][0]["events"][0]["kind"] = "moonwalk"
    assert "□ moonwalk" in record(lambda: charts.lanes(history, examples.BATTLE)).notes
