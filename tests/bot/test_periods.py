"""The periods of charts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot import periods

POINTS = [{"time": f"2026-11-{day:02d}T00:00:00Z", "equity_usd": 100.0 + day} for day in range(1, 22)]


@pytest.mark.parametrize(("period", "count"), [("24h", 2), ("7d", 8), ("30d", 21), ("all", 21)])
def test_a_period_ends_at_the_last_point(period, count):
    assert periods.within(POINTS, period) == POINTS[-count:]
    assert periods.within([], period) == []


def test_a_period_starts_before_the_instant_of_the_document():
    """The clock of a replay is not ours."""
    assert periods.start("2024-03-08T12:00:00Z", "7d") == "2024-03-01T12:00:00Z"
    assert periods.start("2024-03-08T12:00:00Z", "all") is None
    assert periods.start("2024-03-08T12:00:00Z", "all", timedelta(days=8)) == "2024-02-29T12:00:00Z"


def test_a_gain_counts_from_the_period_or_from_the_capital():
    assert periods.gain_pct(POINTS, "7d", 100) == pytest.approx(100 * 20 / 101)
    assert periods.gain_pct(POINTS, "all", 100) == pytest.approx(21)
