"""The chart of the AI against the market."""

from __future__ import annotations


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
