"""The equity curves of strategies and of the fund."""

from __future__ import annotations

from bot import charts
from bot.charts.sheet import LIGHT
from tests.bot import documents
from tests.bot.charts.conftest import record


def test_the_title_compares_the_fund_with_a_constant_half(drawn):
    """Both from 1,000 USD: to 1,119 and to 881."""
    assert drawn["fund"].title == "The apex fund: +11.9% since the start, always half in Bitcoin -11.9%"


def test_the_fund_shows_its_orders_and_the_backfilled_time(drawn):
    """A marker for each order, and grey behind the backfilled points."""
    axes = drawn["fund"].figure.axes[0]
    assert sorted(line.get_marker() for line in axes.lines if len(line.get_xdata()) == 1) == ["^", "v"]
    assert len(axes.patches) == 1
    assert "△ bought, ▽ sold · shaded: backfilled" in drawn["fund"].notes


def test_a_live_fund_is_not_shaded():
    fund = documents.fund()
    live = [point | {"backfilled": False} for point in fund["equity"]]
    chart = record(lambda: charts.fund(fund | {"equity": live}, "all", LIGHT))
    assert not chart.figure.axes[0].patches
    assert "backfilled" not in chart.notes


def test_a_period_starts_at_zero():
    """For the strategy and for holding, and the title names the period."""
    chart = record(lambda: charts.strategy(documents.strategy(), "30d", LIGHT))
    gain, holding, _ = chart.figure.axes[0].lines
    assert (gain.get_ydata()[0], holding.get_ydata()[0], len(gain.get_xdata())) == (0, 0, 31)
    last, first = 70_000 + 100 * 119, 70_000 + 100 * 89
    assert f"{100 * (last / first - 1):+.1f}% in 30 days, holding" in chart.title


def test_the_chart_states_the_verdict_and_its_n(drawn):
    """Two numbers without an n would say nothing."""
    chart = drawn["accuracy"]
    assert chart.title == "The AI against the market: no clear difference yet"
    assert "backfilled, n = 400 resolved markets" in chart.notes
    assert "AI minus market +0.001, 95% interval -0.001 to +0.004" in chart.notes


def test_a_phone_gets_one_panel(drawn):
    """The mean errors over time, each labelled at its end; lower is better."""
    (axes,) = drawn["accuracy"].figure.axes
    assert len(axes.lines) == 3
    assert sorted(drawn["accuracy"].labels) == ["AI 0.240", "coin flip", "market 0.242"]
    assert "lower is better" in drawn["accuracy"].subtitle
