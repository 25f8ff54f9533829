"""The periods of charts."""

from __future__ import annotations

from bot import periods


def test_a_period_starts_before_the_instant_of_the_document():
    """The clock of a replay is not ours."""
    assert periods.start("2024-03-08T12:00:00Z", "7d") == "2024-03-01T12:00:00Z"
    assert periods.start("2024-03-08T12:00:00Z", "all") is None
