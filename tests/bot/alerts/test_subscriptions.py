"""Subscribers are told of changes of the consensus and get their digests: each once, and only what came later."""

from __future__ import annotations

import copy
from datetime import datetime, timedelta

import pytest

from bot.store import EVENTS
from bot.store.settings import last_due
from service.client import HistoryPending
from tests.bot.alerts.conftest import ANN, BEN, DOWN, START, SentAlert, World

GROUP, SECOND_GROUP = -100, -200
MONDAY, NEXT_MONDAY = "2026-11-23T08:00", "2026-11-30T08:00"


def chats(alerts: list[SentAlert]) -> list[int]:
    return [chat for chat, _, _ in alerts]


@pytest.fixture
def bullish_world(world: World) -> World:
    """A world in which Ann wants to know of a change from BULLISH."""
    world.subscribe("flip", ANN)
    assert world.flip("BULLISH") == []
    return world


def test_subscribers_are_told_once(bullish_world):
    """Also across a restart; a silent alert makes no sound."""
    bullish_world.subscribe("flip", BEN, state="silent")
    alerts = bullish_world.flip()
    assert [(chat, silent) for chat, _, silent in alerts] == [(ANN, False), (BEN, True)]
    assert all("The consensus is now: BEARISH" in text for _, text, _ in alerts)
    bullish_world.restart()
    assert bullish_world.check() == []


def test_a_change_before_the_subscription_is_not_sent(bullish_world):
    bullish_world.service.consensus("BEARISH", bullish_world.now + timedelta(seconds=5))
    bullish_world.now += timedelta(seconds=20)
    bullish_world.subscribe("flip", BEN)
    assert chats(bullish_world.check()) == [ANN]


def test_an_outage_neither_loses_nor_repeats_a_change(bullish_world):
    """Nor does a document that is older than the last."""
    older = copy.deepcopy(bullish_world.service.documents["widget"])
    bullish_world.service.broken["widget"] = DOWN
    assert bullish_world.flip() == []
    bullish_world.service.broken.clear()
    assert [len(bullish_world.check()) for _ in range(2)] == [1, 0]
    for document in (older, bullish_world.service.documents["widget"]):
        bullish_world.service.documents["widget"] = document
        assert bullish_world.check() == []


def test_neutral_is_not_a_side(world):
    """Neither between two sides nor as the first view."""
    world.subscribe("flip", ANN)
    directions = "NEUTRAL BULLISH NEUTRAL BULLISH NEUTRAL BEARISH NEUTRAL BEARISH BULLISH"
    assert [len(world.flip(direction)) for direction in directions.split()] == [0, 0, 0, 0, 0, 1, 0, 0, 1]


def test_a_missing_consensus_is_not_a_flip(bullish_world):
    """Nor is a change of world."""
    widget = bullish_world.service.documents["widget"]
    bullish_world.service.documents["widget"] = widget | {"consensus": None}
    assert bullish_world.check() == []
    bullish_world.service.documents["widget"] = widget
    assert bullish_world.flip("BULLISH") == []
    bullish_world.service.set_world("live")
    assert [len(bullish_world.flip(direction)) for direction in ("BEARISH", "BULLISH")] == [0, 1]


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


@pytest.mark.parametrize("error", [DOWN, HistoryPending(503, {"detail": "It is arriving.", "retry_after_s": 40})])
def test_an_unreachable_service_sends_nothing(world, caplog, error):
    """However many passes it takes; the next pass checks again, and the log has no traceback."""
    for event in EVENTS:
        world.subscribe(event, ANN)
    world.service.broken = dict.fromkeys(world.service.documents, error)
    assert [world.check(after=timedelta(hours=6)) for _ in range(5)] == [[]] * 5
    assert "a check for alerts failed" not in caplog.text


def wants_digest(world: World, person: int, hour: int, zone: str = "UTC") -> None:
    """A digest of each day at this hour of a time zone."""
    world.store.set_digest_hour(person, person, f"{hour}")
    world.store.set_setting(person, "zone", zone)


def at(world: World, instant: str) -> list[SentAlert]:
    """What a pass at this instant of UTC sends."""
    world.now = datetime.fromisoformat(f"{instant}Z")
    return world.check(after=timedelta())


@pytest.mark.parametrize(
    ("since", "hour", "zone", "counts"),
    [
        ("2026-11-21T12:10", 7, "Europe/Zurich", {"2026-11-22T05:59": 0, "2026-11-22T06:00": 1, "2026-11-23T06:00": 1}),
        ("2026-11-21T12:10", 7, "America/New_York", {"2026-11-22T11:59": 0, "2026-11-22T12:00": 1}),
        # An hour that is past is for tomorrow. What is more than three hours late is left out.
        ("2026-11-22T07:30", 7, "UTC", {"2026-11-22T07:31": 0, "2026-11-23T10:00": 1, "2026-11-24T10:00:01": 0}),
        # An hour that the clocks skip comes an hour later; one that they repeat comes once.
        ("2026-03-28T12:00", 2, "Europe/Zurich", {"2026-03-29T00:59": 0, "2026-03-29T01:00": 1, "2026-03-29T01:01": 0}),
        ("2026-10-24T12:00", 2, "Europe/Zurich", {"2026-10-25T00:00": 1, "2026-10-25T01:00": 0, "2026-10-26T01:00": 1}),
    ],
)
def test_a_digest_comes_once_a_day_at_its_hour(world, since, hour, zone, counts):
    """In the time zone of the person, and across restarts; documents are read only when one is due."""
    world.now = datetime.fromisoformat(f"{since}Z")
    wants_digest(world, ANN, hour, zone)
    for instant, count in counts.items():
        world.restart()
        assert len(at(world, instant)) == count, instant
    assert world.service.calls.count("ai_vs_market") == sum(counts.values())


@pytest.mark.parametrize(
    ("day", "hour"), [("2026-03-28", "06"), ("2026-03-29", "05"), ("2026-10-24", "05"), ("2026-10-25", "06")]
)
def test_the_hour_is_local_time_in_summer_and_winter(day, hour):
    noon = datetime.fromisoformat(f"{day}T12:00Z")
    assert last_due(7, "Europe/Zurich", noon) == datetime.fromisoformat(f"{day}T{hour}:00Z")


def test_the_date_is_the_readers(world):
    """Monday morning in Sydney is still Sunday in UTC."""
    wants_digest(world, ANN, 7, "Australia/Sydney")
    wants_digest(world, BEN, 20)
    texts = {chat: text for chat, text, _ in at(world, "2026-11-22T20:00")}
    assert "Digest, Monday 23 November" in texts[ANN]
    assert "Digest, Sunday 22 November" in texts[BEN]


@pytest.fixture
def group(world: World) -> int:
    """A group that gets the digest."""
    world.store.set_switch(GROUP, GROUP, "weekly", "on")
    return GROUP


def test_that_of_a_group_is_sent_once_on_monday(world, group):
    """Up to twelve hours late, as after an outage, and across a restart; a group that joins later waits a week."""
    assert [at(world, instant) for instant in ("2026-11-22T23:00", "2026-11-23T07:59:59")] == [[], []]
    assert chats(at(world, MONDAY)) == [group]
    world.now += timedelta(seconds=1)
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.restart()
    assert [at(world, instant) for instant in ("2026-11-23T08:01", "2026-11-24T08:00")] == [[], []]
    world.service.broken["resolved_markets"] = DOWN
    assert at(world, NEXT_MONDAY) == []
    world.service.broken.clear()
    assert sorted(chats(at(world, "2026-11-30T20:00"))) == [SECOND_GROUP, group]
    assert at(world, "2026-12-07T20:00:01") == []


def test_each_group_that_wants_it_reads_its_language(world, group):
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.store.set_setting(SECOND_GROUP, "language", "de")
    texts = {chat: text for chat, text, _ in at(world, MONDAY)}
    assert "The week to" in texts[group]
    assert "Die Woche bis" in texts[SECOND_GROUP]
    world.store.set_switch(group, group, "weekly", "off")
    assert chats(at(world, NEXT_MONDAY)) == [SECOND_GROUP]
