"""When a failed delivery is tried again, and when its endpoint is paused."""

from __future__ import annotations

import pytest

from service.jobs.deliveries import LONGEST_RETRY_S, PATIENCE_S, pause_reason, retry_after


def test_pauses_grow_to_two_hours():
    assert [round(retry_after(attempts, 0.0)) for attempts in (1, 2, 3, 7, 8, 1000)] == [5, 15, 45, 3645, 7200, 7200]
    assert retry_after(1, 1.0) == pytest.approx(4.0)
    assert LONGEST_RETRY_S < PATIENCE_S


@pytest.mark.parametrize(
    ("status", "failing_for", "paused"),
    [(500, PATIENCE_S - 1, False), (None, PATIENCE_S, True), (410, 0, True), (404, 0, False)],
)
def test_an_endpoint_is_paused_after_a_day_or_when_gone(status, failing_for, paused):
    assert (pause_reason(status, 1_000_000 - failing_for, 1_000_000) is not None) == paused
