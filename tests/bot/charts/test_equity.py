"""The equity curves of strategies and of the fund."""

from __future__ import annotations

from bot import charts
from tests.bot import documents
from tests.bot.charts.drawing import record


def test_the_title_compares_the_fund_with_a_constant_half(drawn):
    fund = documents.fund()
    gain, half = fund["pnl_pct"], fund["benchmark"]["pnl_pct"]
    assert drawn["fund"].title == f"The apex fund: {gain:+.1f}%, always half in Bitcoin {half:+.1f}%"


def test_the_fund_shows_its_orders_and_the_backfilled_time(drawn):
    """A marker for each order, and grey behind the backfilled points."""
    axes = drawn["fund"].figure.axes[0]
    assert sorted(line.get_marker() for line in axes.lines if len(line.get_xdata()) == 1) == ["^", "v"]
    assert len(axes.patches) == 1
    assert "△ bought, ▽ sold · grey: backfilled" in drawn["fund"].notes


def test_a_live_fund_is_not_shaded():
    fund = documents.fund()
    live = [point | {"backfilled": False} for point in fund["equity"]]
    chart = record(lambda: charts.fund(fund | {"equity": live}))
    assert not chart.figure.axes[0].patches
    assert "backfilled" not in chart.notes
