"""The switches of events, and the digest."""

from __future__ import annotations

import pytest

from bot.store import EVENTS, Target, switches
from tests.bot.store.conftest import ANN, BEN, GROUP, alert


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", ["on", "silent", "off"])
def test_every_event_keeps_its_state(store, again, event, state):
    store.set_switch(ANN, ANN, event, state)
    assert again.switches(ANN) == again.switches(BEN) | {event: state}


@pytest.mark.parametrize(("event", "state"), [("flop", "on"), ("flip", "loud"), ("", "")])
def test_an_unknown_event_or_state_is_refused(store, event, state):
    with pytest.raises(ValueError, match="no such switch"):
        store.set_switch(ANN, ANN, event, state)


def test_subscribers_have_the_event_on_or_silent(store, clock):
    store.set_switch(ANN, ANN, "flip", "on")
    store.set_switch(BEN, GROUP, "flip", "silent")
    store.set_switch(33, 33, "flip", "off")
    since = clock.now.timestamp()
    assert store.subscribers("flip") == [
        (ANN, ANN, False, since),
        (BEN, GROUP, True, since),
    ]
    assert store.subscribers("lane") == []


def test_a_subscription_starts_when_it_was_off_before(store, clock):
    store.set_switch(ANN, ANN, "flip", "on")
    first = clock.now.timestamp()
    clock.move(hours=1)
    store.set_switch(ANN, ANN, "flip", "silent")
    assert store.subscribers("flip")[0].since == first
    store.set_switch(ANN, ANN, "flip", "off")
    clock.move(hours=1)
    store.set_switch(ANN, ANN, "flip", "on")
    assert store.subscribers("flip")[0].since == clock.now.timestamp()


def test_switching_off_deletes_queued_alerts(store):
    store.queue([alert(), alert(event="lane"), alert(BEN)])
    store.set_switch(ANN, ANN, "flip", "off")
    assert store.waiting() == [alert(event="lane"), alert(BEN)]


def test_stopping_is_all_or_nothing(store, monkeypatch):
    """Every event of the person and none of another's is off; a failure in the middle changes nothing."""
    for person in (ANN, BEN):
        for event in EVENTS:
            store.set_switch(person, person, event, "on")
    store.queue([alert(), alert(BEN)])
    set_state = switches.set_state

    def failing(db, user, chat, event, *values):
        if event == EVENTS[-1]:
            raise OSError("the disk is full")
        set_state(db, user, chat, event, *values)

    with monkeypatch.context() as broken:
        broken.setattr(switches, "set_state", failing)
        with pytest.raises(OSError, match="full"):
            store.stop_alerts(ANN, ANN)
    assert set(store.switches(ANN).values()) == {"on"}
    store.stop_alerts(ANN, ANN)
    assert set(store.switches(ANN).values()) == {"off"}
    assert set(store.switches(BEN).values()) == {"on"}
    assert store.waiting() == [alert(BEN)]


def test_an_unreachable_chat_is_switched_off(store):
    for event in EVENTS:
        store.set_switch(ANN, ANN, event, "on")
    store.set_switch(BEN, BEN, "flip", "on")
    store.queue([alert(), alert(BEN)])
    store.switch_off(ANN)
    assert set(store.switches(ANN).values()) == {"off"}
    assert store.switches(BEN)["flip"] == "on"
    assert store.waiting() == [alert(BEN)]


def test_a_digest_has_an_hour_and_a_time_zone(store, again):
    store.set_digest(ANN, ANN, 7, "Europe/Zurich")
    assert again.digest(ANN) == {"hour": 7, "timezone": "Europe/Zurich"}
    assert again.switches(ANN)["digest"] == "on"
    ((subscriber, hour, timezone),) = again.digest_subscribers()
    assert (subscriber.user_id, hour, timezone) == (ANN, 7, "Europe/Zurich")


@pytest.mark.parametrize(
    ("hour", "timezone"),
    [(24, "UTC"), (-1, "UTC"), (7, "Mars/Base"), (7, ""), (7, "../etc/passwd"), (7, "Europe")],
)
def test_an_invalid_hour_or_time_zone_is_refused(store, hour, timezone):
    with pytest.raises(ValueError, match="no such hour"):
        store.set_digest(ANN, ANN, hour, timezone)
    assert store.digest(ANN) is None


SUPERGROUP = -1001


@pytest.mark.parametrize("name", ["weekly", "commands_only"])
def test_a_setting_is_switched_on_and_off(store, again, name):
    store.set_group_setting(GROUP, name, is_on=True)
    assert [key for key, is_on in again.group_settings(GROUP)._asdict().items() if is_on] == [name]
    store.set_group_setting(GROUP, name, is_on=False)
    assert again.group_settings(GROUP) == (False, False)


def test_an_unknown_setting_is_refused(store):
    with pytest.raises(ValueError, match="no such setting"):
        store.set_group_setting(GROUP, "flip", is_on=True)


def test_a_supergroup_keeps_what_the_group_had(store):
    """Its settings, its language, its alerts, and the marks of those that were sent."""
    store.set_group_setting(GROUP, "weekly", is_on=True)
    store.choose_language(GROUP, "de")
    store.queue([alert(GROUP, "weekly")])
    store.move_group(GROUP, SUPERGROUP)
    assert store.group_settings(SUPERGROUP).weekly
    assert not store.group_settings(GROUP).weekly
    assert store.language(SUPERGROUP) == "de"
    assert [waiting.chat_id for waiting in store.waiting()] == [SUPERGROUP]
    assert store.is_marked(SUPERGROUP, "weekly", "noon")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_each_person_has_a_theme(store, again, theme):
    store.set_chart_theme(ANN, ANN, "dark")
    store.set_chart_theme(ANN, ANN, theme)
    assert (again.chart_theme(ANN), again.chart_theme(BEN)) == (theme, "light")


def test_only_what_is_followed_is_on_by_default(store):
    assert store.switches(ANN) == dict.fromkeys(EVENTS, "off") | {"followed": "on"}


def test_a_new_follow_switches_them_on_again(store):
    """After the chat was unreachable, or the person switched them off: a follow is a promise of a message."""
    store.follow(ANN, ANN, Target("challenge", "17"))
    store.set_switch(BEN, BEN, "followed", "off")
    for person in (ANN, BEN):
        store.switch_off(person)
        assert store.switches(person)["followed"] == "off"
        store.follow(person, person, Target("challenge", "18"))
    assert (store.switches(ANN)["followed"], store.switches(BEN)["followed"]) == ("on", "on")


def test_a_digest_keeps_its_hour_and_state(store):
    """It is at eight UTC by default, and keeps its hour while it is off."""
    store.set_switch(ANN, ANN, "digest", "silent")
    assert store.digest(ANN) == {"hour": 8, "timezone": "UTC"}
    store.set_digest(ANN, ANN, 0, "Asia/Tokyo")
    assert store.switches(ANN)["digest"] == "silent"
    store.set_digest(ANN, ANN, None, "Asia/Tokyo")
    assert store.switches(ANN)["digest"] == "off"
    store.set_switch(ANN, ANN, "digest", "on")
    assert store.digest(ANN) == {"hour": 0, "timezone": "Asia/Tokyo"}


def test_the_theme_is_no_alert_and_outlives_a_blocked_bot(store):
    """Blocking the bot switches off all alerts of the chat; deletion forgets the theme."""
    switches = store.switches(ANN)
    store.set_chart_theme(ANN, ANN, "dark")
    assert store.switches(ANN) == switches
    store.switch_off(ANN)
    assert store.chart_theme(ANN) == "dark"
    assert store.forget(ANN)["alerts"] > 0
    assert store.chart_theme(ANN) == "light"
