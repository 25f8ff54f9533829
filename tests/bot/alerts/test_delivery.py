"""Delivery: every alert arrives at most once, and one failure does not stop the others."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TimedOut

from bot.store import EVENTS
from tests.bot.alerts.world import ANN, BEN, Sent, World, challenge


class Crash(BaseException):
    """The process ends here."""


def check_after_flip(world: World) -> list[Sent]:
    """What the first pass after a flip sends to its two subscribers."""
    world.subscribe("flip", ANN, BEN)
    world.service.consensus("BULLISH", world.now + timedelta(seconds=5))
    world.check()
    world.service.consensus("BEARISH", world.now + timedelta(seconds=5))
    return world.check()


@pytest.mark.parametrize(
    "error",
    [
        Forbidden("Forbidden: bot was blocked by the user"),
        Forbidden("Forbidden: user is deactivated"),
        BadRequest("Chat not found"),
    ],
)
def test_a_chat_that_is_gone_gets_no_more_alerts(world, error):
    world.telegram.errors[ANN] = [error]
    assert [chat for chat, _, _ in check_after_flip(world)] == [BEN]
    assert world.store.switches(ANN)["flip"] == "off"
    assert world.store.switches(BEN)["flip"] == "on"
    assert world.check() == []


# The library warns whenever RetryAfter is created.
@pytest.mark.filterwarnings("ignore:.*retry_after")
@pytest.mark.parametrize(("error", "why"), [(RetryAfter, 5), (NetworkError, "Bad Gateway")])
def test_a_temporary_refusal_is_retried_once(world, error, why):
    world.telegram.errors[ANN] = [error(why)]
    assert check_after_flip(world) == []
    assert sorted(chat for chat, _, _ in world.check()) == [ANN, BEN]
    assert world.check() == []


@pytest.mark.parametrize(
    ("cause", "wrapped", "is_sent_again"),
    [
        (httpx.ConnectError("refused"), NetworkError, True),
        (httpx.ConnectTimeout("slow"), TimedOut, True),
        (httpx.PoolTimeout("busy"), TimedOut, True),
        (httpx.ReadError("reset"), NetworkError, False),
        (httpx.ReadTimeout("slow"), TimedOut, False),
        (None, TimedOut, False),
    ],
)
def test_only_undelivered_alerts_are_sent_again(world, cause, wrapped, is_sent_again):
    error = wrapped("it failed")
    error.__cause__ = cause
    world.telegram.errors[ANN] = [error]
    check_after_flip(world)
    world.check()
    assert sorted(world.telegram.chats()) == ([ANN, BEN] if is_sent_again else [BEN])


def test_a_rejected_alert_does_not_block_others(world):
    world.telegram.errors[ANN] = [BadRequest("Can't parse entities")]
    assert [chat for chat, _, _ in check_after_flip(world)] == [BEN]
    assert world.store.switches(ANN)["flip"] == "on"
    assert world.check() == []


def test_a_crash_while_sending_repeats_and_loses_nothing(world):
    world.telegram.errors[ANN] = [Crash()]
    with pytest.raises(Crash):
        check_after_flip(world)
    world.restart()
    assert [chat for chat, _, _ in world.check()] == [BEN]


def test_a_crash_before_sending_loses_nothing(world):
    world.subscribe("flip", ANN, BEN)
    world.service.consensus("BULLISH", world.now + timedelta(seconds=5))
    world.check()
    world.service.consensus("BEARISH", world.now + timedelta(seconds=5))
    world.service.broken["hospital"] = Crash()
    with pytest.raises(Crash):
        world.check()
    world.restart()
    world.service.broken.clear()
    assert [chat for chat, _, _ in world.check()] == [ANN, BEN]


def test_a_person_whose_data_is_deleted_gets_nothing(world):
    for event in EVENTS:
        world.subscribe(event, ANN)
    world.store.remember_challenge(ANN, ANN, 17)
    world.check()
    world.store.forget(ANN)
    world.service.challenges_by_number[17] = challenge(17)
    world.service.consensus("BEARISH", world.now + timedelta(seconds=5))
    world.service.add_event("harvest", world.now + timedelta(seconds=5))
    assert world.check(after=timedelta(days=1)) == []
