"""A pass of the watcher: failed checks are logged and do not stop the others."""

from __future__ import annotations

from datetime import timedelta

from bot.store import EVENTS
from tests.bot.alerts.world import ANN, DOWN


def test_an_unreachable_service_sends_nothing(world):
    for event in EVENTS:
        world.subscribe(event, ANN)
    world.service.broken = dict.fromkeys(world.service.documents, DOWN)
    assert world.check(after=timedelta(days=1)) == []


def test_a_failed_check_does_not_block_the_others(world, caplog):
    world.subscribe("flip", ANN)
    world.subscribe("hospital", ANN)
    world.check()
    world.service.documents["widget"] = {}
    world.service.documents["hospital"]["snapshot_month"] = "2026-11"
    assert len(world.check()) == 1
    assert "a check for alerts failed" in caplog.text
