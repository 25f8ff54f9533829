"""The chart of the AI against the market."""

from __future__ import annotations


def test_the_chart_states_the_verdict_and_its_n(drawn):
    """Two numbers without an n would say nothing."""
    chart = drawn["accuracy"]
    assert chart.title == "The AI against the market: no clear difference yet"
    assert "backfilled · n = 400 resolved markets" in chart.notes
