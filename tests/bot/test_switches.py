"""The switches and settings of a person or a group: /alerts, /settings, /stop, and the time zone of dates."""

from __future__ import annotations

import pytest


@pytest.fixture
def admin(stage, group):
    person = stage.person(group)
    stage.telegram.admins.add(person.id)
    return person


def test_an_admin_switches_the_settings_of_a_group(admin, stage, store, group):
    """The weekly digest, and whether mentions are ignored; commands are answered all the same."""
    reply = admin.says("/settings")
    for before, after in (("off", "on"), ("on", "off")):
        admin.presses(f"Weekly digest: {before}")
        assert f"Weekly digest: {after}" in reply.buttons
        assert store.switches(group)["weekly"] == after
    admin.presses("Only commands: off")
    before, member = len(admin.messages), stage.person(group)
    member.says("@ninefold_bot btc price")
    assert len(member.messages) == before
    assert "Bitcoin 53,212 USD" in member.says("/price btc").plain


def test_other_members_change_nothing(admin, stage, store, group):
    """Neither with commands nor with the buttons of an admin's message; the admin's language is that of the group."""
    member, refusal = stage.person(group), "amministratore"
    member.language = "it"
    assert refusal in member.says("/settings").plain
    assert not member.newest.buttons
    assert refusal in member.says("/language de").plain
    reply = admin.says("/settings")
    member.presses("Weekly digest: off", on=reply)
    assert refusal in stage.telegram.popups.pop()
    admin.presses("Language", on=reply)
    member.presses("Deutsch", on=reply)
    assert refusal in stage.telegram.popups.pop()
    assert (store.switches(group)["weekly"], store.language(group)) == ("off", None)
    admin.presses("Deutsch", on=reply)
    assert "Deutsch" in reply.plain
    assert "Sprache" in member.says("/language").plain


def test_a_supergroup_keeps_the_settings(admin, store, group):
    store.set_switch(group, group, "weekly", "on")
    admin.sends(migrate_to_chat_id=group - 100_000)
    assert store.switches(group - 100_000)["weekly"] == "on"


def test_each_anonymous_group_has_its_own_quota(stage, group):
    """Telegram gives all anonymous admins one user and sends their messages as the group's: the group is the person."""
    texts = []
    for number in (group, group - 1):
        admin = stage.person(number)
        sender = {"id": number, "type": "supergroup", "title": "A group"}
        sender = {"sender_chat": sender, "from": {"id": 1087968824, "is_bot": True, "first_name": "Group"}}
        question = f"@ninefold_bot Will Bitcoin be above ${70 + len(texts)}k at the end of the month?"
        texts.append(admin.says(question, **sender).plain)
        assert "Settings of this group" in admin.says("/settings", **sender).plain
    assert all("A group: 9 of 10 questions left today" in text for text in texts)


def test_a_press_moves_a_switch_to_its_next_state(ann, store):
    """Each event has a button; /stop switches every one off, and so does blocking the bot."""
    reply = ann.says("/alerts")
    for before, after in (("off", "on"), ("on", "silent"), ("silent", "off")):
        ann.presses(f"The consensus changes sides: {before}")
        assert store.switches(ann.id)["flip"] == after
        assert f"The consensus changes sides: {after}" in reply.buttons
    assert len(ann.messages) == 1
    chat, bot = {"id": ann.chat, "type": "private"}, {"id": 99, "is_bot": True, "first_name": "Ninefold"}
    member, ban = {"status": "member", "user": bot}, {"status": "kicked", "user": bot, "until_date": 0}
    block = {"chat": chat, "from": ann.user(), "date": 1, "old_chat_member": member, "new_chat_member": ban}
    for stop in (lambda: ann.says("/stop"), lambda: ann.stage.deliver({"my_chat_member": block})):
        for event in store.switches(ann.id):
            ann.sends_data(f"set:{event}:silent", reply)
        assert set(store.switches(ann.id).values()) == {"silent"}
        stop()
        assert set(store.switches(ann.id).values()) == {"off"}


def test_buttons_set_the_hours_and_zone_of_alerts(ann, store):
    """The zone switches nothing on; dates, the digest and quiet hours follow it, and quiet hours can end."""
    ann.says("/settings")
    ann.presses("Time zone", "Asia/Tokyo")
    assert store.switches(ann.id)["digest"] == "off"
    assert "17:00 JST" in ann.says("/price btc").plain
    reply = ann.says("/alerts")
    ann.presses("Digest hour", "07", "Time zone", "Asia/Tokyo", "Quiet hours", "22–07")
    assert "Digest hour: 07:00\nQuiet hours: 22:00–07:00\nTime zone: Asia/Tokyo" in reply.plain
    assert [store.setting(ann.id, name) for name in ("hour", "zone", "quiet")] == ["7", "Asia/Tokyo", "22-7"]
    assert store.switches(ann.id)["digest"] == "on"
    ann.presses("Quiet hours", "None")
    assert "Quiet hours:" not in reply.plain


def test_any_time_zone_can_be_sent_by_name(ann, store):
    assert "Europe/Vienna" in ann.says("/alerts Europe/Vienna").plain
    assert "America/New_York" in ann.says("/alerts america/new york").plain
    assert "Unknown time zone “<b>Mars”" in ann.says("/alerts <b>Mars").plain
    assert store.zone(ann.id) == "America/New_York"
    assert store.switches(ann.id)["digest"] == "off"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Will Bitcoin be above $60k on 30 November at 5pm?", "2026-11-30 17:00 JST"),
        ("Will Bitcoin be above $60k by Friday?", "2026-11-27 23:59 JST"),
        ("Will Bitcoin be above $60k on 30 November at 5pm ET?", "2026-12-01 07:00 JST"),
        ("Will Bitcoin be above $60k on 30 November UTC?", "2026-12-01 08:59 JST"),
        ("Will Bitcoin be above $60k at the end of the month?", "2026-12-01 08:59 JST"),
    ],
)
def test_a_date_is_read_in_the_zone_of_the_person(ann, store, text, date):
    """A zone in the text is stronger; where the service takes no zone, the day is that of UTC, as the answer shows."""
    store.set_setting(ann.id, "zone", "Asia/Tokyo")
    assert date in ann.says(text).plain
