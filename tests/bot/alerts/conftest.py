"""The watcher between a fake service and a fake Telegram."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.alerts import delivery
from tests.bot.alerts.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "bot.sqlite")
    yield world
    world.store.close()


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    """Alerts are sent as fast as they can be."""
    monkeypatch.setattr(delivery, "ALERTS_PER_SECOND", 100_000)
