"""Subscribers are told of changes of the consensus, once and only of later ones."""

from __future__ import annotations

import asyncio
import copy
from datetime import timedelta

import pytest

from bot.alerts import watch
from bot.alerts.delivery import send_queue
from bot.store import EVENTS
from service.client import HistoryPending
from tests.bot.alerts.world import ANN, BEN, CID, DOWN, START, SentAlert, World, challenge


def flip(world: World, direction: str) -> list[SentAlert]:
    """What the pass after a vote in this direction sends."""
    world.service.consensus(direction, world.now + timedelta(seconds=30))
    return world.check()


def change_sides(world: World) -> None:
    side = world.service.documents["widget"]["consensus"]["direction"]
    world.service.consensus("BEARISH" if side == "BULLISH" else "BULLISH", world.now + timedelta(seconds=5))


def test_subscribers_are_told_once(world: World):
    """Also across a restart; a silent alert makes no sound."""
    world.service.consensus("BULLISH", world.now)
    world.subscribe("flip", ANN)
    world.subscribe("flip", BEN, state="silent")
    assert world.check() == []
    change_sides(world)
    alerts = world.check()
    assert [(chat, silent) for chat, _, silent in alerts] == [(ANN, False), (BEN, True)]
    assert all("The consensus is now: BEARISH" in text for _, text, _ in alerts)
    world.restart()
    assert world.check() == []


def test_a_change_before_the_subscription_is_not_sent(world):
    world.service.consensus("BULLISH", world.now)
    world.check()
    change_sides(world)
    world.now += timedelta(seconds=20)
    world.subscribe("flip", ANN)
    assert world.check() == []


def test_an_outage_neither_loses_nor_repeats_a_change(world):
    world.service.consensus("BULLISH", world.now)
    world.subscribe("flip", ANN)
    world.check()
    change_sides(world)
    world.service.broken["widget"] = DOWN
    assert world.check() == []
    world.service.broken.clear()
    assert [len(world.check()) for _ in range(2)] == [1, 0]


def test_an_older_document_is_no_change(world):
    world.service.consensus("BULLISH", world.now)
    world.subscribe("flip", ANN)
    world.check()
    older = copy.deepcopy(world.service.documents["widget"])
    change_sides(world)
    assert len(world.check()) == 1
    newer = world.service.documents["widget"]
    for version in (older, newer):
        world.service.documents["widget"] = version
        assert world.check() == []


@pytest.mark.parametrize(
    ("directions", "counts"),
    [
        ("BULLISH NEUTRAL BULLISH NEUTRAL BEARISH NEUTRAL BEARISH BULLISH", [0, 0, 0, 0, 1, 0, 0, 1]),
        ("NEUTRAL BEARISH", [0, 0]),
    ],
)
def test_neutral_is_not_a_side(world, directions: str, counts: list[int]):
    world.subscribe("flip", ANN)
    assert [len(flip(world, direction)) for direction in directions.split()] == counts


def test_a_missing_consensus_is_not_a_flip(world):
    world.subscribe("flip", ANN)
    flip(world, "BULLISH")
    widget = world.service.documents["widget"]
    world.service.documents["widget"] = widget | {"consensus": None}
    assert world.check() == []
    world.service.documents["widget"] = widget
    assert flip(world, "BULLISH") == []


def test_several_watchers_send_a_flip_once(world):
    world.subscribe("flip", ANN, BEN, CID)
    flip(world, "BULLISH")
    world.service.consensus("BEARISH", world.now)
    world.now += timedelta(minutes=1)
    stores = [world.open() for _ in range(3)]

    async def watch_at_once() -> None:
        await asyncio.gather(*(watch(world.service, store, world.now) for store in stores))
        await asyncio.gather(*(send_queue(world.telegram, store) for store in stores))

    asyncio.run(watch_at_once())
    for store in stores:
        store.close()
    assert sorted(world.telegram.chats()) == [ANN, BEN, CID]
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


NO_HISTORY = HistoryPending(503, {"detail": "The price history is arriving.", "retry_after_s": 40})


@pytest.mark.parametrize("error", [DOWN, NO_HISTORY])
def test_an_unreachable_service_sends_nothing(world, caplog, error):
    """However many passes it takes; the next pass checks again, and the log has no traceback."""
    for event in EVENTS:
        world.subscribe(event, ANN)
    world.service.broken = dict.fromkeys(world.service.documents, error)
    assert [world.check(after=timedelta(hours=6)) for _ in range(5)] == [[]] * 5
    assert "a check for alerts failed" not in caplog.text


def test_a_failed_check_does_not_block_the_others(world, caplog):
    world.subscribe("flip", ANN)
    world.store.set_digest_hour(ANN, ANN, "8")
    world.service.documents["widget"] = {}
    world.author(ANN, 7)
    world.service.challenges_by_number[7] = challenge(7)
    assert len(world.check()) == 1
    assert "a check for alerts failed" in caplog.text
