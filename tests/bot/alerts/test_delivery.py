"""Delivery: every alert arrives at most once, and one failure does not stop the others."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import httpx
import pytest
from prometheus_client import REGISTRY
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TimedOut

from bot.alerts import delivery
from bot.alerts.delivery import send_queue
from tests.bot.alerts.conftest import ANN, BEN, CID, SentAlert, World
from tests.bot.simulated_time import SimulatedLoop
from tests.bot.store.conftest import alert


class Crash(BaseException):
    """The process ends here."""


def check_two(world: World) -> list[SentAlert]:
    """What a pass sends of an alert for Ann and one for Ben, who want them."""
    world.subscribe("flip", ANN, BEN)
    world.store.queue([alert(ANN), alert(BEN)])
    return world.check()


def count_of_alerts(outcome: str) -> float:
    return REGISTRY.get_sample_value("bot_alerts_total", {"outcome": outcome}) or 0.0


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (Forbidden("Forbidden: bot was blocked by the user"), "off"),
        (Forbidden("Forbidden: user is deactivated"), "off"),
        (BadRequest("Chat not found"), "off"),
        (BadRequest("Can't parse entities"), "on"),
    ],
)
def test_a_lost_alert_does_not_block_others(world, error, state):
    """A chat that is gone gets no more; what became of each alert is counted."""
    sent_before, lost_before = map(count_of_alerts, ("sent", "lost"))
    world.telegram.errors[ANN] = [error]
    assert check_two(world) == [(BEN, "noon", False)]
    assert (count_of_alerts("sent"), count_of_alerts("lost")) == (sent_before + 1, lost_before + 1)
    assert [world.store.switches(person)["flip"] for person in (ANN, BEN)] == [state, "on"]
    assert world.check() == []


def test_a_flood_wait_delays_only_its_chat_and_keeps_order(world):
    """Ann's second alert waits behind her first; Ben gets his at once."""
    world.store.queue([alert(ANN, key="one"), alert(ANN, key="two"), alert(BEN)])
    world.telegram.errors[ANN] = [RetryAfter(5)]
    assert world.check() == [(BEN, "noon", False)]
    assert world.check() == [(ANN, "one", False), (ANN, "two", False)]
    assert world.check() == []


def test_a_stopping_bot_leaves_the_queue_at_once(world, monkeypatch):
    """At the pace of alerts the rest of the queue would hold up the end of the bot for minutes; it is sent later."""
    people = range(100, 400)
    world.store.queue([alert(user) for user in people])
    with monkeypatch.context() as context, asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        context.setattr(delivery, "ALERTS_PER_SECOND", 25)
        runner.run(send_queue(world.telegram, world.store, lambda: len(world.telegram.sent) < 10))
        assert runner.get_loop().time() < 2
    assert 10 <= len(world.telegram.sent) < 10 + delivery.CHATS_AT_ONCE
    world.check()
    assert sorted(world.telegram.chats()) == list(people)


@pytest.mark.parametrize(
    ("cause", "error_class", "is_sent_again"),
    [
        (httpx.ConnectError("refused"), NetworkError, True),
        (httpx.ConnectTimeout("slow"), TimedOut, True),
        (httpx.PoolTimeout("busy"), TimedOut, True),
        (None, NetworkError, True),
        (httpx.ReadError("reset"), NetworkError, False),
        (httpx.ReadTimeout("slow"), TimedOut, False),
        (None, TimedOut, False),
    ],
)
def test_only_undelivered_alerts_are_sent_again(world, cause, error_class, is_sent_again):
    error = error_class("it failed")
    error.__cause__ = cause
    world.telegram.errors[ANN] = [error]
    check_two(world)
    world.check()
    assert sorted(world.telegram.chats()) == ([ANN, BEN] if is_sent_again else [BEN])


def test_a_crash_while_sending_repeats_nothing(world, monkeypatch):
    """What was being sent when the process ended is not sent again; whether Ben's alert was, is chance."""
    monkeypatch.setattr(delivery, "CHATS_AT_ONCE", 1)
    world.telegram.errors[ANN] = [Crash()]
    with pytest.raises(Crash):
        check_two(world)
    world.restart()
    world.check()
    assert world.telegram.chats() in ([], [BEN])


def test_a_crash_before_sending_loses_nothing(world):
    world.subscribe("flip", ANN, BEN)
    world.flip("BULLISH")
    world.service.consensus("BEARISH", world.now + timedelta(seconds=5))
    world.service.broken["battle"] = Crash()
    world.store.set_digest_hour(CID, CID, f"{world.now.hour}")
    world.now += timedelta(days=1)
    with pytest.raises(Crash):
        world.check()
    world.restart()
    world.service.broken.clear()
    assert sorted(chat for chat, _, _ in world.check()) == [ANN, BEN, CID]
