"""The messages between job processes."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from service.config import SettingsError
from service.jobs import dispatcher
from service.jobs.dispatcher import Ticker
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


DEADLINE_S = 10


def test_the_ticker_survives_a_failure(monkeypatch):
    monkeypatch.setattr(dispatcher, "AFTER_FAILURE_S", 0.001)
    beats, again = [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise RuntimeError("database away")
        again.set()

    ticking = Ticker(beat)
    ticking.after_process_boot(None)
    assert again.wait(DEADLINE_S)
    ticking.after_worker_shutdown(None, None)
