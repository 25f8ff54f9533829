"""The queue of alerts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.bot.store.conftest import ANN, BEN, alert


def test_an_alert_is_queued_once_for_each_person(store, again):
    """Another person, event or key is another alert."""
    others = [alert(user=BEN), alert(event="lane"), alert(key="midnight")]
    store.queue([alert(), alert()])
    again.queue([alert(), *others])
    assert store.waiting() == [alert(), *others]
    assert store.is_marked(ANN, "flip", "noon")
    assert not store.is_marked(BEN, "flip", "midnight")


def test_one_of_many_concurrent_alerts_is_queued(store, again):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: (store, again)[n % 2].queue([alert()]), range(40)))
    assert store.waiting() == [alert()]


def test_an_alert_can_be_taken_once(store, again):
    store.queue([alert()])
    store.queue([alert()])
    assert again.waiting() == [alert()]
    assert again.take(alert())
    assert not store.take(alert())
    store.queue([alert()])
    assert store.waiting() == []


def test_a_deleted_persons_alert_is_not_put_back(store):
    store.queue([alert()])
    store.take(alert())
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


def test_the_last_document_survives_a_restart(store, again):
    assert store.state("flip") is None
    store.record("flip", {"side": "BULLISH"}, [])
    store.record("flip", {"side": "BEARISH"}, [])
    assert again.state("flip") == {"side": "BEARISH"}
    assert again.state("lane") is None


def test_marks_are_deleted_after_90_days(store, clock):
    store.queue([alert()])
    clock.move(days=91)
    store.waiting()
    assert not store.is_marked(ANN, "flip", "noon")


def test_an_alert_keeps_its_place_when_it_is_put_back(store):
    """The alerts of a chat are sent in order also after a refusal."""
    store.queue([alert(key="one"), alert(key="two")])
    store.take(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["two"]
    store.put_back(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["one", "two"]
    store.remove(alert(key="one"))
    assert [waiting.key for waiting in store.waiting()] == ["two"]
