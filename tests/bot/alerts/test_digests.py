"""The digest: once a day, at each person's hour and in their time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from bot.store.settings import last_due
from tests.bot.alerts.world import ANN, BEN, DOWN, START, SentAlert, World


def at(world: World, instant: str) -> list[SentAlert]:
    """What a pass at this instant sends."""
    world.now = datetime.fromisoformat(instant)
    return world.check(after=timedelta())


def test_each_person_has_an_hour_and_a_time_zone(world):
    world.store.set_digest_hour(ANN, ANN, "7")
    world.store.set_setting(ANN, "zone", "Europe/Zurich")
    world.store.set_digest_hour(BEN, BEN, "7")
    world.store.set_setting(BEN, "zone", "America/New_York")
    assert at(world, "2026-11-22T05:59:59+00:00") == []
    assert [chat for chat, _, _ in at(world, "2026-11-22T06:00:00+00:00")] == [ANN]
    assert [chat for chat, _, _ in at(world, "2026-11-22T12:00:00+00:00")] == [BEN]
    assert [chat for chat, _, _ in at(world, "2026-11-23T06:00:20+00:00")] == [ANN]


def test_it_is_sent_once_a_day_across_restarts(world):
    world.store.set_digest_hour(ANN, ANN, "7")
    assert len(at(world, "2026-11-22T07:00:10+00:00")) == 1
    world.restart()
    assert at(world, "2026-11-22T07:01:10+00:00") == []
    assert at(world, "2026-11-22T23:00:00+00:00") == []


def test_documents_are_read_only_when_one_is_due(world):
    world.store.set_digest_hour(ANN, ANN, "7")
    at(world, "2026-11-22T07:00:00+00:00")
    at(world, "2026-11-22T07:01:00+00:00")
    assert world.service.calls.count("ai_vs_market") == 1


def test_an_hour_already_past_is_for_tomorrow(world):
    world.now = datetime(2026, 11, 22, 7, 30, tzinfo=UTC)
    world.store.set_digest_hour(ANN, ANN, "7")
    assert at(world, "2026-11-22T07:31:00+00:00") == []
    assert len(at(world, "2026-11-23T07:00:00+00:00")) == 1


def test_it_is_up_to_three_hours_late_and_then_skipped(world):
    world.store.set_digest_hour(ANN, ANN, "7")
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


def test_a_skipped_hour_comes_an_hour_later(world):
    world.now = datetime(2026, 3, 28, 12, tzinfo=UTC)
    world.store.set_digest_hour(ANN, ANN, "2")
    world.store.set_setting(ANN, "zone", "Europe/Zurich")
    assert at(world, "2026-03-29T00:59:00+00:00") == []
    assert len(at(world, "2026-03-29T01:00:00+00:00")) == 1
    assert at(world, "2026-03-29T01:01:00+00:00") == []


def test_a_repeated_hour_sends_one_digest(world):
    world.now = datetime(2026, 10, 24, 12, tzinfo=UTC)
    world.store.set_digest_hour(ANN, ANN, "2")
    world.store.set_setting(ANN, "zone", "Europe/Zurich")
    assert len(at(world, "2026-10-25T00:00:00+00:00")) == 1
    assert at(world, "2026-10-25T01:00:00+00:00") == []
    assert len(at(world, "2026-10-26T01:00:00+00:00")) == 1


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "UTC"])
@pytest.mark.parametrize("hour", [0, 12, 23])
def test_one_digest_is_due_every_24_hours(zone, hour):
    minutes = (START + timedelta(minutes=15 * n) for n in range(96 * 3))
    due = sorted({last_due(hour, zone, minute) for minute in minutes})
    assert {later - earlier for earlier, later in pairwise(due)} == {timedelta(days=1)}
    assert all(earlier <= START + timedelta(days=3) for earlier in due)


def test_the_date_is_the_readers(world):
    """Monday morning in Sydney is still Sunday in UTC."""
    world.store.set_digest_hour(ANN, ANN, "7")
    world.store.set_setting(ANN, "zone", "Australia/Sydney")
    world.store.set_digest_hour(BEN, BEN, "20")
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


def test_it_is_sent_once_on_monday_across_restarts(world, group):
    assert at(world, "2026-11-22T23:00:00+00:00") == []
    assert at(world, "2026-11-23T07:59:59+00:00") == []
    assert [chat for chat, _, _ in at(world, MONDAY)] == [group]
    world.restart()
    assert at(world, "2026-11-23T08:01:00+00:00") == []
    assert at(world, "2026-11-24T08:00:00+00:00") == []
    assert [chat for chat, _, _ in at(world, "2026-11-30T08:00:00+00:00")] == [group]


def test_only_groups_that_want_it_get_it(world, group):
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.store.set_switch(group, group, "weekly", "off")
    assert [chat for chat, _, _ in at(world, MONDAY)] == [SECOND_GROUP]


def test_each_group_reads_its_language(world, group):
    world.store.set_switch(SECOND_GROUP, SECOND_GROUP, "weekly", "on")
    world.store.set_setting(SECOND_GROUP, "language", "de")
    texts = {chat: text for chat, text, _ in at(world, MONDAY)}
    assert "The week to" in texts[group]
    assert "Die Woche bis" in texts[SECOND_GROUP]


def test_a_group_that_joins_later_waits_a_week(world):
    world.now = datetime.fromisoformat("2026-11-23T08:00:01+00:00")
    world.store.set_switch(GROUP, GROUP, "weekly", "on")
    assert at(world, "2026-11-23T08:01:00+00:00") == []
    assert len(at(world, "2026-11-30T08:00:00+00:00")) == 1


def test_it_is_up_to_twelve_hours_late(world, group):
    world.service.broken["resolved_markets"] = DOWN
    assert at(world, MONDAY) == []
    world.service.broken.clear()
    assert len(at(world, "2026-11-23T20:00:00+00:00")) == 1
    assert at(world, "2026-11-30T20:00:01+00:00") == []
