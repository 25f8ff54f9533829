"""/settings in a group: for its admins."""

from __future__ import annotations

import pytest


@pytest.fixture
def admin(stage, group):
    person = stage.person(group)
    stage.telegram.admins.add(person.id)
    return person


def test_an_admin_switches_the_weekly_digest(admin, store, group):
    reply = admin.says("/settings")
    assert "Weekly digest: off" in reply.buttons
    admin.presses("Weekly digest: off")
    assert "Weekly digest: on" in reply.buttons
    assert store.switches(group)["weekly"] == "on"
    admin.presses("Weekly digest: on")
    assert store.switches(group)["weekly"] == "off"


def test_other_members_change_nothing(admin, stage, store, group):
    """Neither with the command nor with the buttons of an admin's message."""
    member = stage.person(group)
    assert "Only an admin" in member.says("/settings").plain
    assert not member.newest.buttons
    reply = admin.says("/settings")
    member.presses("Weekly digest: off", on=reply)
    assert "Only an admin" in stage.telegram.popups[-1]
    assert store.switches(group)["weekly"] == "off"


def test_an_anonymous_admin_is_an_admin(stage, group):
    """Telegram sends their messages as those of the group."""
    entities = [{"type": "bot_command", "offset": 0, "length": 9}]
    sender = {"id": group, "type": "supergroup", "title": "A group"}
    reply = stage.person(group).sends(text="/settings", entities=entities, sender_chat=sender)
    assert "Settings of this group" in reply.plain


def test_mentions_can_be_ignored(admin, stage, group):
    """Commands are answered all the same."""
    admin.says("/settings")
    admin.presses("Only commands: off")
    before = len(admin.messages)
    member = stage.person(group)
    member.says("@ninefold_bot btc price")
    assert len(member.messages) == before
    assert "Bitcoin 53,212 USD" in member.says("/price btc").plain


def test_the_language_is_chosen_from_the_settings(admin):
    reply = admin.says("/settings")
    admin.presses("Language")
    admin.presses("Deutsch")
    assert "Deutsch" in reply.plain
    assert "Einstellungen dieser Gruppe" in admin.says("/settings").plain


def test_a_supergroup_keeps_the_settings(admin, store, group):
    store.set_switch(group, group, "weekly", "on")
    admin.sends(migrate_to_chat_id=group - 100_000)
    assert store.switches(group - 100_000)["weekly"] == "on"


def test_each_anonymous_group_has_its_own_quota(stage, group):
    """Telegram gives all anonymous admins one user; the group is the person."""
    texts = []
    for number in (group, group - 1):
        admin = stage.person(number)
        sender = {"id": number, "type": "supergroup", "title": "A group"}
        robot = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
        question = f"@ninefold_bot Will Bitcoin be above ${70 + len(texts)}k at the end of the month?"
        texts.append(admin.says(question, sender_chat=sender, **{"from": robot}).plain)
    assert all("A group: 9 of 10 questions left today" in text for text in texts)


def test_another_bot_gets_no_answer(stage, group):
    other = stage.person(group)
    robot = {"id": 77, "is_bot": True, "first_name": "Another bot"}
    assert other.says("@ninefold_bot Will Bitcoin rise this week?", **{"from": robot}) is None
