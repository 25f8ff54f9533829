"""Subscribers are told of changes of the consensus and get their digests: each once, and only what came later."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta

import pytest

from bot.store import EVENTS
from bot.store.settings import last_due
from service.client import HistoryPending
from tests.bot.alerts.conftest import ANN, BEN, DOWN, START, SentAlert, World, challenge


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


@pytest.mark.parametrize(
    ("directions", "counts"),
    [
        ("BULLISH NEUTRAL BULLISH NEUTRAL BEARISH NEUTRAL BEARISH BULLISH", [0, 0, 0, 0, 1, 0, 0, 1]),
        ("NEUTRAL BEARISH", [0, 0]),
    ],
)
def test_neutral_is_not_a_side(world, directions: str, counts: list[int]):
    world.subscribe("flip", ANN)
    assert [len(world.flip(direction)) for direction in directions.split()] == counts


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


def wants_digest(world: World, person: int, hour: int, zone: str = "UTC") -> None:
    """A digest of each day at this hour of a time zone."""
    world.store.set_digest_hour(person, person, f"{hour}")
    world.store.set_setting(person, "zone", zone)


def at(world: World, instant: str) -> list[SentAlert]:
    """What a pass at this instant sends."""
    world.now = datetime.fromisoformat(instant)
    return world.check(after=timedelta())


def test_each_person_has_an_hour_and_a_time_zone(world):
    wants_digest(world, ANN, 7, "Europe/Zurich")
    wants_digest(world, BEN, 7, "America/New_York")
    assert at(world, "2026-11-22T05:59:59+00:00") == []
    assert chats(at(world, "2026-11-22T06:00:00+00:00")) == [ANN]
    assert chats(at(world, "2026-11-22T12:00:00+00:00")) == [BEN]
    assert chats(at(world, "2026-11-23T06:00:20+00:00")) == [ANN]


def test_a_digest_is_sent_once_a_day_across_restarts(world):
    """Documents are read only when one is due."""
    wants_digest(world, ANN, 7)
    assert len(at(world, "2026-11-22T07:00:10+00:00")) == 1
    world.restart()
    assert at(world, "2026-11-22T07:01:10+00:00") == []
    assert at(world, "2026-11-22T23:00:00+00:00") == []
    assert world.service.calls.count("ai_vs_market") == 1


def test_an_hour_already_past_is_for_tomorrow(world):
    world.now = datetime(2026, 11, 22, 7, 30, tzinfo=UTC)
    wants_digest(world, ANN, 7)
    assert at(world, "2026-11-22T07:31:00+00:00") == []
    assert len(at(world, "2026-11-23T07:00:00+00:00")) == 1


def test_a_digest_is_up_to_three_hours_late(world):
    """Then it is skipped."""
    wants_digest(world, ANN, 7)
    world.service.broken["battle"] = DOWN
    assert at(world, "2026-11-22T07:00:00+00:00") == []
    world.service.broken.clear()
    assert len(at(world, "2026-11-22T10:00:00+00:00")) == 1
    assert at(world, "2026-11-23T10:00:01+00:00") == []


@pytest.mark.parametrize(
    ("day", "due"),
    [
        ("2026-03-28", "2026-03-28T06:00Z"),
        ("2026-03-29", "2026-03-29T05:00Z"),
        ("2026-10-24", "2026-10-24T05:00Z"),
        ("2026-10-25", "2026-10-25T06:00Z"),
    ],
)
def test_the_hour_is_local_time_in_summer_and_winter(day, due):
    noon = datetime.fromisoformat(f"{day}T12:00+00:00")
    assert last_due(7, "Europe/Zurich", noon) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    ("day", "counts"),
    [
        ("2026-03-28", {"2026-03-29T00:59": 0, "2026-03-29T01:00": 1, "2026-03-29T01:01": 0}),
        ("2026-10-24", {"2026-10-25T00:00": 1, "2026-10-25T01:00": 0, "2026-10-26T01:00": 1}),
    ],
    ids=["skipped", "repeated"],
)
def test_an_hour_that_a_clock_skips_or_repeats_has_one_digest(world, day, counts):
    """One that is skipped comes an hour later."""
    world.now = datetime.fromisoformat(f"{day}T12:00+00:00")
    wants_digest(world, ANN, 2, "Europe/Zurich")
    assert {instant: len(at(world, f"{instant}:00+00:00")) for instant in counts} == counts


def test_the_date_is_the_readers(world):
    """Monday morning in Sydney is still Sunday in UTC."""
    wants_digest(world, ANN, 7, "Australia/Sydney")
    wants_digest(world, BEN, 20)
    texts = {chat: text for chat, text, _ in at(world, "2026-11-22T20:00:00+00:00")}
    assert "Digest, Monday 23 November" in texts[ANN]
    assert "Digest, Sunday 22 November" in texts[BEN]


GROUP, SECOND_GROUP = -100, -200
MONDAY = "2026-11-23T08:00:00+00:00"


@pytest.fixture
def group(world: World) -> int:
    """A group that gets the digest."""
    world.store.set_switch(GROUP, GROUP, "weekly", "on")
    return GROUP


def test_that_of_a_group_is_sent_once_on_monday(world, group):
    """Also across a restart; a group that joins later waits a week."""
    assert at(world, "2026-11-22T23:00:00+00:00") == []
    assert at(world, "2026-11-23T07:59:59+00:00") == []
    assert chats(at(world, MONDAY)) == [group]
    world.now += timedelta(seconds=1)
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.restart()
    assert at(world, "2026-11-23T08:01:00+00:00") == []
    assert at(world, "2026-11-24T08:00:00+00:00") == []
    assert sorted(chats(at(world, "2026-11-30T08:00:00+00:00"))) == [SECOND_GROUP, group]


def test_each_group_that_wants_it_reads_its_language(world, group):
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.store.set_setting(SECOND_GROUP, "language", "de")
    texts = {chat: text for chat, text, _ in at(world, MONDAY)}
    assert "The week to" in texts[group]
    assert "Die Woche bis" in texts[SECOND_GROUP]
    world.store.set_switch(group, group, "weekly", "off")
    assert chats(at(world, "2026-11-30T08:00:00+00:00")) == [SECOND_GROUP]


def test_that_of_a_group_is_up_to_twelve_hours_late(world, group):
    world.service.broken["resolved_markets"] = DOWN
    assert at(world, MONDAY) == []
    world.service.broken.clear()
    assert len(at(world, "2026-11-23T20:00:00+00:00")) == 1
    assert at(world, "2026-11-30T20:00:01+00:00") == []
