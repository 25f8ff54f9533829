"""The weekly digest of groups: on Mondays at 08:00 UTC, once, in the language of the group."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.bot.alerts.world import DOWN, Sent, World

GROUP, ANOTHER = -100, -200
MONDAY = "2026-11-23T08:00:00+00:00"


def at(world: World, instant: str) -> list[Sent]:
    """What a pass at this instant sends."""
    world.now = datetime.fromisoformat(instant)
    return world.check(after=timedelta())


@pytest.fixture
def group(world: World) -> int:
    """A group that gets the digest."""
    world.store.set_group_setting(GROUP, "weekly", is_on=True)
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
    world.store.set_group_setting(ANOTHER, "weekly", is_on=True)
    world.store.set_group_setting(group, "weekly", is_on=False)
    assert [chat for chat, _, _ in at(world, MONDAY)] == [ANOTHER]


def test_each_group_reads_its_language(world, group):
    world.store.set_group_setting(ANOTHER, "weekly", is_on=True)
    world.store.choose_language(ANOTHER, "de")
    texts = {chat: text for chat, text, _ in at(world, MONDAY)}
    assert "The week to" in texts[group]
    assert "Die Woche bis" in texts[ANOTHER]


def test_a_group_that_joins_later_waits_a_week(world):
    world.now = datetime.fromisoformat("2026-11-23T08:00:01+00:00")
    world.store.set_group_setting(GROUP, "weekly", is_on=True)
    assert at(world, "2026-11-23T08:01:00+00:00") == []
    assert len(at(world, "2026-11-30T08:00:00+00:00")) == 1


def test_it_is_up_to_twelve_hours_late(world, group):
    world.service.broken["resolved_markets"] = DOWN
    assert at(world, MONDAY) == []
    world.service.broken.clear()
    assert len(at(world, "2026-11-23T20:00:00+00:00")) == 1
    assert at(world, "2026-11-30T20:00:01+00:00") == []


def test_a_group_that_removed_the_bot_gets_none(world, group):
    world.store.switch_off(group)
    assert at(world, MONDAY) == []


def test_documents_are_read_only_when_it_is_due(world, group):
    at(world, MONDAY)
    at(world, "2026-11-23T08:01:00+00:00")
    assert world.service.calls.count("resolved_markets") == 1
