"""Subscribers are told of the harvests and pool switches of lanes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.bot.alerts.world import ANN, DOWN, START


@pytest.mark.parametrize("kind", ["harvest", "switch"])
def test_subscribers_are_told_of_harvests_and_switches(world, kind):
    world.subscribe("lane", ANN)
    world.check()
    world.service.add_event(kind, world.now + timedelta(seconds=30))
    ((chat, text, _),) = world.check()
    assert chat == ANN
    assert "Wide range" in text
    assert "ETH/USDC" in text
    assert world.check() == []


def test_a_trade_sends_nothing(world):
    world.subscribe("lane", ANN)
    world.check()
    world.service.add_event("trade", world.now + timedelta(seconds=30))
    assert world.check() == []


def test_events_before_the_first_check_are_not_sent(world):
    world.subscribe("lane", ANN)
    world.service.add_event("harvest", START - timedelta(minutes=5))
    assert world.check() == []
    assert world.check() == []


def test_events_before_the_subscription_are_not_sent(world):
    world.check()
    world.service.add_event("harvest", world.now)
    world.now += timedelta(seconds=20)
    world.subscribe("lane", ANN)
    assert world.check() == []


def test_several_events_are_sent_in_order(world):
    world.subscribe("lane", ANN)
    world.check()
    for minutes, kind, pool in ((5, "switch", "first pool"), (10, "harvest", "second pool")):
        world.service.add_event(kind, world.now + timedelta(minutes=minutes), pool)
    texts = [text for _, text, _ in world.check(after=timedelta(minutes=11))]
    assert ["first pool" in text for text in texts] == [True, False]
    assert "second pool" in texts[1]


def test_an_outage_neither_loses_nor_repeats_events(world):
    world.subscribe("lane", ANN)
    world.check()
    world.service.add_event("harvest", world.now + timedelta(seconds=30))
    world.service.broken["battle_history"] = DOWN
    assert world.check() == []
    world.service.broken = {"battle": DOWN}
    assert world.check() == []
    world.service.broken = {}
    assert len(world.check()) == 1
    assert world.check() == []


def test_events_older_than_a_day_are_not_sent(world):
    world.subscribe("lane", ANN)
    world.check()
    world.service.add_event("harvest", world.now + timedelta(minutes=5))
    world.service.add_event("harvest", world.now + timedelta(days=40))
    assert len(world.check(after=timedelta(days=40, minutes=1))) == 1


def test_the_history_is_read_only_after_a_new_bar(world):
    for _ in range(3):
        world.check()
    assert "battle_history" not in world.service.calls
