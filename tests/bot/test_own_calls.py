"""The markets and challenges of a person's own votes and forecasts."""

from __future__ import annotations

import pytest

from bot import own_calls
from bot.own_calls import called_markets
from bot.store import OwnCall


@pytest.fixture
def called(stage):
    """The ids of the documents that some calls are on, each with its call."""
    service = stage.application.bot_data["state"].service

    def run(*calls: OwnCall) -> list[tuple[OwnCall, str]]:
        return [(call, document["id"]) for call, document in stage.runner.run(called_markets(service, calls))]

    return run


def test_a_call_on_a_listed_market_has_it(stage, called):
    service = stage.application.bot_data["state"].service
    listed = stage.runner.run(service.predictions())["markets"][0]["id"]
    call = OwnCall(listed, "yes", 0.7)
    assert called(call) == [(call, listed)]


def test_a_call_on_nothing_that_exists_is_left_out(called):
    assert called(OwnCall("gone", "yes", None), OwnCall("challenge-999999", None, 0.2)) == []


def test_a_challenge_is_read_by_its_number(ann, called, store, monkeypatch):
    """It is in no list, and only so many are read one by one."""
    ann.says("/challenge Will Bitcoin be above $72k?")
    ann.says("2026-12-31")
    ann.presses("Create")
    ann.presses("No")
    (call,) = store.own_calls(ann.id, 1)
    assert called(call) == [(call, call.prediction_id)]
    monkeypatch.setattr(own_calls, "MAX_SINGLE", 0)
    assert called(call) == []
