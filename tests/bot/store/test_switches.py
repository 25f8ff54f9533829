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


SUPERGROUP = -1001


def test_a_supergroup_keeps_what_the_group_had(store):
    """Its settings, its language, its alerts, and the marks of those that were sent."""
    store.set_switch(GROUP, GROUP, "weekly", "on")
    store.set_setting(GROUP, "language", "de")
    store.queue([alert(GROUP, "weekly")])
    store.move_group(GROUP, SUPERGROUP)
    assert store.switches(SUPERGROUP)["weekly"] == "on"
    assert store.switches(GROUP)["weekly"] == "off"
    assert store.language(SUPERGROUP) == "de"
    assert [waiting.chat_id for waiting in store.waiting()] == [SUPERGROUP]
    assert store.is_marked(SUPERGROUP, "weekly", "noon")


def test_only_what_is_followed_is_on_by_default(store):
    assert store.switches(ANN) == dict.fromkeys(EVENTS, "off") | {"followed": "on"}


def test_a_new_follow_switches_them_on_again(store):
    """After the chat was unreachable, or the person switched them off: a follow is a promise of a message."""
    store.follow(ANN, ANN, Target("market", "challenge-17"))
    store.set_switch(BEN, BEN, "followed", "off")
    for person in (ANN, BEN):
        store.switch_off(person)
        assert store.switches(person)["followed"] == "off"
        store.follow(person, person, Target("market", "challenge-18"))
    assert (store.switches(ANN)["followed"], store.switches(BEN)["followed"]) == ("on", "on")


def test_a_digest_keeps_its_hour_and_state(store):
    """It is at eight by default, and keeps its hour while it is off."""
    store.set_switch(ANN, ANN, "digest", "silent")
    assert store.setting(ANN, "hour") == "8"
    store.set_digest_hour(ANN, ANN, "0")
    assert store.switches(ANN)["digest"] == "silent"
    store.set_switch(ANN, ANN, "digest", "off")
    store.set_switch(ANN, ANN, "digest", "on")
    assert store.setting(ANN, "hour") == "0"


def test_a_new_hour_starts_tomorrow_if_it_has_passed(store, clock):
    store.set_switch(ANN, ANN, "digest", "on")
    clock.move(hours=1)
    store.set_digest_hour(ANN, ANN, "3")
    assert store.subscribers("digest")[0].since == clock.now.timestamp()
