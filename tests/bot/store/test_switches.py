"""The switches of events, and the digest."""

from __future__ import annotations

import pytest

from bot.store import EVENTS, Target, switches
from tests.bot.store.people import ANN, BEN, GROUP, alert


def test_only_what_is_followed_is_on_by_default(store):
    assert store.switches(ANN) == {
        "followed": "on",
        "flip": "off",
        "lane": "off",
        "hospital": "off",
        "digest": "off",
    }


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


def test_a_new_follow_switches_them_on_again(store):
    store.follow(ANN, ANN, Target("challenge", "17"))
    store.switch_off(ANN)
    assert store.switches(ANN)["followed"] == "off"
    store.follow(ANN, ANN, Target("challenge", "18"))
    assert store.switches(ANN)["followed"] == "on"


def test_a_switch_set_to_off_stays_off(store):
    store.set_switch(ANN, ANN, "followed", "off")
    store.switch_off(ANN)
    store.follow(ANN, ANN, Target("challenge", "18"))
    assert store.switches(ANN)["followed"] == "off"


def test_there_is_no_digest_at_first(store):
    assert store.digest(ANN) is None


def test_a_digest_has_an_hour_and_a_time_zone(store, again):
    store.set_digest(ANN, ANN, 7, "Europe/Zurich")
    assert again.digest(ANN) == {"hour": 7, "timezone": "Europe/Zurich"}
    assert again.switches(ANN)["digest"] == "on"
    ((subscriber, hour, timezone),) = again.digest_subscribers()
    assert (subscriber.user_id, hour, timezone) == (ANN, 7, "Europe/Zurich")


def test_the_default_digest_is_at_eight_utc(store):
    store.set_switch(ANN, ANN, "digest", "on")
    assert store.digest(ANN) == {"hour": 8, "timezone": "UTC"}


def test_a_digest_keeps_its_hour_while_off(store):
    store.set_digest(ANN, ANN, 0, "Asia/Tokyo")
    store.set_digest(ANN, ANN, None, "Asia/Tokyo")
    assert store.switches(ANN)["digest"] == "off"
    store.set_switch(ANN, ANN, "digest", "on")
    assert store.digest(ANN) == {"hour": 0, "timezone": "Asia/Tokyo"}


def test_a_silent_digest_stays_silent(store):
    store.set_switch(ANN, ANN, "digest", "silent")
    store.set_digest(ANN, ANN, 6, "UTC")
    assert store.switches(ANN)["digest"] == "silent"


@pytest.mark.parametrize(
    ("hour", "timezone"),
    [(24, "UTC"), (-1, "UTC"), (7, "Mars/Base"), (7, ""), (7, "../etc/passwd"), (7, "Europe")],
)
def test_an_invalid_hour_or_time_zone_is_refused(store, hour, timezone):
    with pytest.raises(ValueError, match="no such hour"):
        store.set_digest(ANN, ANN, hour, timezone)
    assert store.digest(ANN) is None
