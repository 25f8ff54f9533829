"""The queue of alerts, the switches of events, and the settings that alerts follow."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from bot.store import EVENTS, Target, switches
from bot.store.settings import end_of_quiet
from tests.bot.store.conftest import ANN, BEN, GROUP, alert

NIGHT = (22, 7, "UTC")


def test_an_alert_is_queued_once_for_each_person(store, again):
    """Also of many at once; another person, event or key is another alert."""
    others = [alert(user=BEN), alert(event="lane"), alert(key="midnight")]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: (store, again)[n % 2].queue([alert()]), range(40)))
    again.queue([alert(), *others])
    assert store.waiting() == [alert(), *others]
    assert store.is_marked(ANN, "flip", "noon")
    assert not store.is_marked(BEN, "flip", "midnight")


def test_an_alert_can_be_taken_once(store, again):
    """It is not put back for a person who was deleted."""
    store.queue([alert()])
    assert again.waiting() == [alert()]
    assert again.take(alert())
    assert not store.take(alert())
    store.queue([alert()])
    assert store.waiting() == []
    store.forget(ANN)
    store.put_back(alert())
    assert store.waiting() == []


def test_an_expired_alert_is_dropped(store, clock):
    until = clock.now.timestamp() + 60
    store.queue([alert(until=until)])
    clock.move(seconds=60)
    assert store.waiting() == [alert(until=until)]
    clock.move(seconds=1)
    assert store.waiting() == []


def test_an_event_that_recurs_replaces_an_alert_left_behind(store, clock):
    """It was taken and never sent; its mark is forgotten after 90 days."""
    store.queue([alert()])
    assert store.take(alert())
    clock.move(days=91)
    assert store.waiting() == []
    store.queue([alert()])
    assert store.waiting() == [alert()]


def test_the_last_document_survives_a_restart(store, again):
    assert store.state("flip") is None
    store.record("flip", {"side": "BULLISH"}, [])
    store.record("flip", {"side": "BEARISH"}, [])
    assert again.state("flip") == {"side": "BEARISH"}
    assert again.state("lane") is None


def test_an_alert_keeps_its_place_when_it_is_put_back(store):
    """The alerts of a chat are sent in order also after a refusal."""
    store.queue([alert(key="one"), alert(key="two")])
    store.take(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["two"]
    store.put_back(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["one", "two"]
    store.remove(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["two"]


@pytest.mark.parametrize("event", EVENTS)
def test_subscribers_have_the_event_on_or_silent(store, again, clock, event):
    """Only what is followed is on by default."""
    states, since = {ANN: "on", BEN: "silent", 33: "off"}, clock.now.timestamp()
    for person, state in states.items():
        store.set_switch(person, GROUP, event, state)
    assert again.subscribers(event) == [(ANN, GROUP, False, since), (BEN, GROUP, True, since)]
    defaults = dict.fromkeys(EVENTS, "off") | {"followed": "on"}
    assert [again.switches(person) for person in states] == [defaults | {event: state} for state in states.values()]
    assert again.subscribers("lane") == []


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


@pytest.mark.parametrize(
    "stop", [lambda store: store.stop_alerts(ANN, ANN), lambda store: store.switch_off(ANN)], ids=["asked", "blocked"]
)
def test_every_event_of_a_person_is_switched_off(store, stop):
    """None of another's; by the command, or because the chat is gone."""
    for person in (ANN, BEN):
        for event in EVENTS:
            store.set_switch(person, person, event, "on")
    store.queue([alert(), alert(BEN)])
    stop(store)
    assert [set(store.switches(person).values()) for person in (ANN, BEN)] == [{"off"}, {"on"}]
    assert store.waiting() == [alert(BEN)]


def test_stopping_is_all_or_nothing(store, monkeypatch):
    """A failure in the middle changes nothing."""
    set_state = switches.set_state

    def failing(db, user, chat, event, *values):
        if event == EVENTS[-1]:
            raise OSError("the disk is full")
        set_state(db, user, chat, event, *values)

    store.set_switch(ANN, ANN, EVENTS[0], "on")
    monkeypatch.setattr(switches, "set_state", failing)
    with pytest.raises(OSError, match="full"):
        store.stop_alerts(ANN, ANN)
    assert store.switches(ANN)[EVENTS[0]] == "on"


def test_a_supergroup_keeps_what_the_group_had(store):
    """Its settings, its language, its alerts, and the marks of those that were sent."""
    supergroup = -1001
    store.set_switch(GROUP, GROUP, "weekly", "on")
    store.set_setting(GROUP, "language", "de")
    store.queue([alert(GROUP, "weekly")])
    store.move_group(GROUP, supergroup)
    assert [store.switches(chat)["weekly"] for chat in (supergroup, GROUP)] == ["on", "off"]
    assert store.language(supergroup) == "de"
    assert [waiting.chat_id for waiting in store.waiting()] == [supergroup]
    assert store.is_marked(supergroup, "weekly", "noon")


def test_a_new_follow_switches_them_on_again(store):
    """After the chat was unreachable, or the person switched them off: a follow is a promise of a message."""
    store.follow(ANN, ANN, Target("market", "challenge-17"))
    store.set_switch(BEN, BEN, "followed", "off")
    for person in (ANN, BEN):
        store.switch_off(person)
        assert store.switches(person)["followed"] == "off"
        store.follow(person, person, Target("market", "challenge-18"))
    assert (store.switches(ANN)["followed"], store.switches(BEN)["followed"]) == ("on", "on")


def test_a_digest_keeps_its_hour_and_state(store, clock):
    """It is at eight by default, and keeps its hour while it is off; a new one that has passed starts tomorrow."""
    store.set_switch(ANN, ANN, "digest", "silent")
    assert store.setting(ANN, "hour") == "8"
    clock.move(hours=1)
    store.set_digest_hour(ANN, ANN, "0")
    assert store.subscribers("digest")[0].since == clock.now.timestamp()
    assert store.switches(ANN)["digest"] == "silent"
    store.set_switch(ANN, ANN, "digest", "off")
    store.set_switch(ANN, ANN, "digest", "on")
    assert store.setting(ANN, "hour") == "0"


def test_each_chat_has_its_own_settings(store, again):
    store.set_setting(ANN, "theme", "dark")
    store.set_setting(ANN, "theme", "light")
    store.set_setting(BEN, "zone", "Asia/Tokyo")
    assert (again.setting(ANN, "theme"), again.zone(BEN), again.zone(ANN)) == ("light", "Asia/Tokyo", "UTC")


@pytest.mark.parametrize(
    ("name", "value"),
    [("secret", "1"), ("zone", "Mars/Base"), ("zone", ""), ("zone", "../etc/passwd"), ("zone", "Europe")],
)
def test_an_unknown_setting_or_zone_is_refused(store, name, value):
    """So is an unknown event or state."""
    with pytest.raises(ValueError, match="no such setting"):
        store.set_setting(ANN, name, value)
    for event, state in (("flop", "on"), ("flip", "loud"), ("", "")):
        with pytest.raises(ValueError, match="no such switch"):
            store.set_switch(ANN, ANN, event, state)


def test_the_theme_is_no_alert_and_outlives_a_blocked_bot(store):
    """Blocking the bot switches off all alerts of the chat; deletion forgets the theme."""
    switches = store.switches(ANN)
    store.set_setting(ANN, "theme", "dark")
    assert store.switches(ANN) == switches
    store.switch_off(ANN)
    assert store.setting(ANN, "theme") == "dark"
    assert store.forget(ANN)["alerts"] == 1
    assert store.setting(ANN, "theme") == "light"


def test_a_chosen_language_beats_that_of_telegram(store):
    store.set_setting(ANN, "seen", "de")
    assert store.language(BEN, ANN) == "de"
    for chosen, language in (("fr", "fr"), (None, "de")):
        store.set_setting(ANN, "language", chosen)
        assert store.language(ANN) == language


@pytest.mark.parametrize(
    ("hours", "now", "end"),
    [
        (NIGHT, "2026-11-21T21:59:59Z", None),
        (NIGHT, "2026-11-21T22:00:00Z", "2026-11-22T07:00:00Z"),
        (NIGHT, "2026-11-22T06:59:59Z", "2026-11-22T07:00:00Z"),
        (NIGHT, "2026-11-22T07:00:00Z", None),
        ((0, 8, "Asia/Tokyo"), "2026-11-21T15:00:00Z", "2026-11-21T23:00:00Z"),
        ((0, 8, "Asia/Tokyo"), "2026-11-21T23:00:00Z", None),
        # The clocks of Berlin go back an hour in this night.
        ((22, 7, "Europe/Berlin"), "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"),
    ],
)
def test_the_end_of_quiet_hours(hours, now, end):
    start, stop = (datetime.fromisoformat(text).timestamp() if text else 0 for text in (now, end))
    assert end_of_quiet(*hours, start) == stop


def test_alerts_wait_for_the_end_in_their_order(store, clock):
    """They are kept as much longer, until the setting ends; a digest has its hour, other people's come at once."""
    store.set_setting(ANN, "quiet", "22-7")
    clock.move(hours=15)  # it is 23:00
    until = clock.now.timestamp() + 60
    store.queue([alert(key="one", until=until), alert(event="digest"), alert(BEN)])
    assert [(waiting.user_id, waiting.event) for waiting in store.waiting()] == [(ANN, "digest"), (BEN, "flip")]
    clock.move(hours=8)
    store.queue([alert(key="two")])
    store.remove(alert(event="digest"))
    store.remove(alert(BEN))
    assert [waiting.key for waiting in store.waiting()] == ["one", "two"]
    clock.move(hours=16)
    store.queue([alert(key="three")])
    assert [waiting.key for waiting in store.waiting()] == ["two"]
    store.set_setting(ANN, "quiet", None)
    assert store.setting(ANN, "quiet") is None
    assert [waiting.key for waiting in store.waiting()] == ["two", "three"]
