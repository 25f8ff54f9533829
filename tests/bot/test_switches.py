"""/alerts: the switches, and the hour and time zone of the digest."""

from __future__ import annotations

import pytest


def test_a_press_moves_a_switch_to_its_next_state(ann, store):
    reply = ann.says("/alerts")
    for before, after in (("off", "on"), ("on", "silent"), ("silent", "off")):
        ann.presses(f"The consensus changes sides: {before}")
        assert store.switches(ann.id)["flip"] == after
        assert f"The consensus changes sides: {after}" in reply.buttons
    assert len(ann.messages) == 1


def test_every_event_has_a_button(ann, store):
    reply = ann.says("/alerts")
    for event in store.switches(ann.id):
        ann.sends_data(f"set:{event}:silent", reply)
    assert set(store.switches(ann.id).values()) == {"silent"}


def test_buttons_set_the_hour_and_zone_of_the_digest(ann, store):
    reply = ann.says("/alerts")
    ann.presses("Digest hour")
    ann.presses("07")
    assert "07:00" in reply.plain
    ann.presses("Time zone")
    ann.presses("Asia/Tokyo")
    assert "Time zone: Asia/Tokyo" in reply.plain
    assert (store.setting(ann.id, "hour"), store.zone(ann.id)) == ("7", "Asia/Tokyo")
    assert store.switches(ann.id)["digest"] == "on"


def test_a_zone_is_that_of_every_date(ann, store):
    """It switches nothing on; dates, the digest and quiet hours follow it."""
    ann.says("/settings")
    ann.presses("Time zone")
    ann.presses("Asia/Tokyo")
    assert store.switches(ann.id)["digest"] == "off"
    assert "17:00 JST" in ann.says("/price btc").plain


def test_any_time_zone_can_be_sent_by_name(ann, store):
    assert "Europe/Vienna" in ann.says("/alerts Europe/Vienna").plain
    assert "America/New_York" in ann.says("/alerts america/new york").plain
    assert "Unknown time zone “<b>Mars”" in ann.says("/alerts <b>Mars").plain
    assert store.zone(ann.id) == "America/New_York"
    assert store.switches(ann.id)["digest"] == "off"


def test_stop_switches_every_alert_off(ann, store):
    reply = ann.says("/alerts")
    ann.sends_data("set:flip:on", reply)
    assert "no more alerts" in ann.says("/stop").plain
    assert set(store.switches(ann.id).values()) == {"off"}


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
