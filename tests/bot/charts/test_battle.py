"""The charts of the lanes."""

from __future__ import annotations

from matplotlib.lines import Line2D

from bot import charts
from bot.charts.sheet import LIGHT
from tests.bot import documents
from tests.bot.charts.conftest import DrawnChart, record


def test_the_title_names_the_best_lane(drawn):
    """With the period that its gain is counted over, and the gain of all lanes in it."""
    assert drawn["lanes"].title == "lp_chaser leads with +15.0% in 7 days, all together +2.5%"


def test_lanes_that_provide_liquidity_are_dashed(drawn):
    assert [line.get_linestyle() for line in _curves(drawn["lanes"])] == ["-", "-", "-", "-", "--", "--"]


def test_an_unknown_kind_of_event_is_marked_and_named():
    """An event of a kind that this version does not know is shown."""
    history = documents.history()
    history["lanes"][0]["events"][0]["kind"] = "moonwalk"
    assert "□ moonwalk" in _lanes(history).notes


def test_the_lanes_say_where_their_window_starts(drawn):
    """The gain of a period starts at zero with the period, the gain of all from the initial capital."""
    assert "gain since 2026-11-14 09:00 UTC" in drawn["lanes"].notes
    assert all(line.get_ydata()[0] == 0 for line in _curves(drawn["lanes"]))
    drawing = _lanes(documents.history(), period="all")
    assert "gain since each start" in drawing.notes
    assert drawing.title.startswith("lp_chaser leads with +15.1% since the start")


def test_one_venue_alone_is_drawn_solid():
    """Its lanes keep the colours that they have among all, and a chart of two is lower."""
    venue, total = _lanes(documents.history(), venue="dex"), _lanes(documents.history())
    assert [line.get_linestyle() for line in _curves(venue)] == ["-", "-"]
    assert [line.get_color() for line in _curves(venue)] == [line.get_color() for line in _curves(total)][4:]
    assert "dashed" not in venue.notes
    assert venue.figure.get_figheight() < total.figure.get_figheight()


def test_the_curves_fill_the_chart_of_one_venue():
    """From its lowest to its highest point, without a venue that is not shown."""
    chart = _lanes(documents.history(), venue="dex")
    axes = chart.figure.axes[0]
    assert axes.get_position().width > 0.6
    low, high = axes.get_ylim()
    heights = [height for line in _curves(chart) for height in line.get_ydata()]
    assert (max(heights) - min(heights)) / (high - low) > 0.8


def test_a_lane_that_never_traded_says_so():
    history = documents.history()
    lane = history["lanes"][2]
    lane["events"] = []
    for point in lane["points"]:
        point["equity_usd"] = lane["initial_capital"]
    drawing = record(lambda: charts.lane(history, documents.BATTLE, lane["name"], "7d", LIGHT))
    assert drawing.title == f"{lane['label']} has not traded yet"
    assert drawing.labels == ["It holds its 10,000 USD and waits for the\nfirst signal of its rule."]
    assert f"{lane['name']} no trade yet" in _lanes(history).labels


def test_many_harvests_are_not_marked():
    """A marker for each would hide the curves; switches of pools stay."""
    history = documents.history()
    for lane in history["lanes"]:
        lane["events"] *= 10
    chart = _lanes(history)
    assert {line.get_marker() for line in chart.figure.axes[0].lines if len(line.get_xdata()) == 1} == {"D"}
    assert "harvest" not in chart.notes


def test_one_lane_states_its_gain_in_the_period_and_since_the_start(drawn):
    assert drawn["lane"].title == "breakout: 0 USD, 0.0% in 7 days"
    assert "0.0% since the start" in drawn["lane"].notes


def _lanes(history, venue=None, period="7d") -> DrawnChart:
    return record(lambda: charts.lanes(history, documents.BATTLE, venue, period, LIGHT))


def _curves(chart: DrawnChart) -> list[Line2D]:
    return [line for line in chart.figure.axes[0].lines if len(line.get_xdata()) > 10]
