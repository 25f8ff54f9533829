"""Subscribers are told when the consensus changes sides, once and only for changes after their subscription."""

from __future__ import annotations

import asyncio
import copy
from datetime import timedelta

from bot.alerts import send_queue, watch
from tests.bot.alerts.world import ANN, BEN, CID, DOWN, START, Sent, World


def flip(world: World, direction: str) -> list[Sent]:
    """What the pass after a vote in this direction sends."""
    world.service.consensus(direction, world.now + timedelta(seconds=30))
    return world.check()


def test_subscribers_are_told_of_a_change_of_sides(world):
    world.subscribe("flip", ANN)
    world.subscribe("flip", BEN, state="silent")
    assert flip(world, "BULLISH") == []
    sent = flip(world, "BEARISH")
    assert [(chat, silent) for chat, _, silent in sent] == [(ANN, False), (BEN, True)]
    assert all("BULLISH" in text and "BEARISH" in text for _, text, _ in sent)


def test_neutral_is_not_a_side(world):
    world.subscribe("flip", ANN)
    directions = ["BULLISH", "NEUTRAL", "BULLISH", "NEUTRAL", "BEARISH", "NEUTRAL", "BEARISH", "BULLISH"]
    assert [len(flip(world, direction)) for direction in directions] == [0, 0, 0, 0, 1, 0, 0, 1]


def test_the_first_side_is_not_a_flip(world):
    world.subscribe("flip", ANN)
    assert [len(flip(world, direction)) for direction in ("NEUTRAL", "BEARISH")] == [0, 0]


def test_a_missing_consensus_is_not_a_flip(world):
    world.subscribe("flip", ANN)
    flip(world, "BULLISH")
    before = world.service.documents["widget"]
    world.service.documents["widget"] = before | {"consensus": None}
    assert world.check() == []
    world.service.documents["widget"] = before
    assert flip(world, "BULLISH") == []


def test_an_unreachable_service_delays_the_flip(world):
    world.subscribe("flip", ANN)
    flip(world, "BULLISH")
    world.service.broken["widget"] = DOWN
    assert flip(world, "BEARISH") == []
    world.service.broken.clear()
    assert len(world.check()) == 1


def test_an_older_snapshot_is_not_a_flip(world):
    world.subscribe("flip", ANN)
    flip(world, "BULLISH")
    older = copy.deepcopy(world.service.documents["widget"])
    assert len(flip(world, "BEARISH")) == 1
    newer, world.service.documents["widget"] = world.service.documents["widget"], older
    assert world.check() == []
    world.service.documents["widget"] = newer
    assert world.check() == []


def test_a_flip_before_the_subscription_is_not_sent(world):
    flip(world, "BULLISH")
    world.service.consensus("BEARISH", world.now + timedelta(seconds=5))
    world.now += timedelta(seconds=20)
    world.subscribe("flip", ANN)
    assert world.check() == []
    assert len(flip(world, "BULLISH")) == 1


def test_several_watchers_send_a_flip_once(world):
    world.subscribe("flip", ANN, BEN, CID)
    flip(world, "BULLISH")
    world.service.consensus("BEARISH", world.now)
    world.now += timedelta(minutes=1)
    stores = [world.open() for _ in range(3)]

    async def together() -> None:
        await asyncio.gather(*(watch(world.service, store, world.now) for store in stores))
        await asyncio.gather(*(send_queue(world.telegram, store) for store in stores))

    asyncio.run(together())
    for store in stores:
        store.close()
    assert sorted(world.telegram.chats()) == [ANN, BEN, CID]
    world.restart()
    assert world.check() == []


def test_a_change_of_world_is_not_a_flip(world):
    world.subscribe("flip", ANN)
    flip(world, "BULLISH")
    world.service.set_world("live")
    assert flip(world, "BEARISH") == []
    assert len(flip(world, "BULLISH")) == 1


def test_flips_are_sent_in_a_replay_of_the_past(world):
    world.service.set_world("replay")
    past = START - timedelta(days=400)
    world.service.consensus("BULLISH", past)
    world.check()
    world.now += timedelta(seconds=20)
    world.subscribe("flip", ANN)
    world.service.consensus("BEARISH", past + timedelta(hours=4))
    assert world.check() == []
    world.service.consensus("BULLISH", past + timedelta(hours=8))
    assert len(world.check()) == 1
