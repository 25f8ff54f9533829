"""The messages between job processes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.config import SettingsError
from service.jobs.engine import Engine


def test_a_lost_message_is_sent_again_after_ten_seconds(plant):
    engine = plant.engine(plant.job())
    assert len(engine.dispatch()) == 1
    plant.wall += 9
    assert engine.dispatch() == []
    plant.wall += 1
    assert len(engine.dispatch()) == 1


def test_a_wrong_broker_url_is_refused_without_its_password(plant):
    with pytest.raises(SettingsError) as caught:
        Engine(plant.database, [], SimpleNamespace(), "http://user:secret@host")
    assert "redis://" in caught.value.detail
    assert "secret" not in caught.value.detail
