"""Subscribers are told of the snapshot of a new month."""

from __future__ import annotations

import copy
from datetime import timedelta

from tests.bot.alerts.world import ANN, World


def next_month(world: World) -> None:
    world.service.documents["hospital"] |= {"snapshot_month": "2026-11", "as_of": "2026-12-01T00:00:00Z"}


def test_a_new_snapshot_is_sent_once(world):
    world.subscribe("hospital", ANN)
    assert world.check() == []
    next_month(world)
    ((chat, text, _),) = world.check()
    assert chat == ANN
    assert "2026-11" in text or "November" in text
    world.restart()
    assert world.check() == []


def test_a_snapshot_before_the_subscription_is_not_sent(world):
    world.check()
    next_month(world)
    world.now += timedelta(seconds=20)
    world.subscribe("hospital", ANN)
    assert world.check() == []


def test_an_older_month_sends_nothing(world):
    world.subscribe("hospital", ANN)
    world.check()
    older = copy.deepcopy(world.service.documents["hospital"])
    next_month(world)
    assert len(world.check()) == 1
    newer, world.service.documents["hospital"] = world.service.documents["hospital"], older
    assert world.check() == []
    world.service.documents["hospital"] = newer
    assert world.check() == []
