"""A pass of the watcher: failed checks are logged and do not stop the others."""

from __future__ import annotations

from datetime import timedelta

from bot.store import EVENTS
from service.client import HistoryPending
from tests.bot.alerts.world import ANN, DOWN


def test_an_unreachable_service_sends_nothing(world):
    for event in EVENTS:
        world.subscribe(event, ANN)
    world.service.broken = dict.fromkeys(world.service.documents, DOWN)
    assert world.check(after=timedelta(days=1)) == []


def test_an_arriving_history_sends_nothing(world, caplog):
    """However many passes it takes; the next pass checks again, and the log has no traceback."""
    for event in EVENTS:
        world.subscribe(event, ANN)
    arriving = HistoryPending(503, {"detail": "The price history is arriving.", "retry_after_s": 40})
    world.service.broken = dict.fromkeys(world.service.documents, arriving)
    assert [world.check(after=timedelta(hours=6)) for _ in range(5)] == [[]] * 5
    assert "a check for alerts failed" not in caplog.text


def test_a_failed_check_does_not_block_the_others(world, caplog):
    world.subscribe("flip", ANN)
    world.subscribe("hospital", ANN)
    world.check()
    world.service.documents["widget"] = {}
    world.service.documents["hospital"]["snapshot_month"] = "2026-11"
    assert len(world.check()) == 1
    assert "a check for alerts failed" in caplog.text
