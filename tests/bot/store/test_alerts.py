"""The queue of alerts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.bot.store.people import ANN, BEN, alert


def test_an_alert_is_marked_once_for_each_person(store, again):
    assert store.mark_sent(ANN, "flip", "noon")
    assert not store.mark_sent(ANN, "flip", "noon")
    assert not again.mark_sent(ANN, "flip", "noon")
    assert again.mark_sent(BEN, "flip", "noon")
    assert again.mark_sent(ANN, "lane", "noon")
    assert again.mark_sent(ANN, "flip", "midnight")


def test_one_of_many_concurrent_marks_is_the_first(store, again):
    with ThreadPoolExecutor(8) as pool:
        marked = list(pool.map(lambda n: (store, again)[n % 2].mark_sent(ANN, "flip", "noon"), range(40)))
    assert marked.count(True) == 1


def test_an_alert_can_be_taken_once(store, again):
    store.queue([alert()])
    store.queue([alert()])
    assert again.waiting() == [alert()]
    assert again.take(alert())
    assert not store.take(alert())
    store.queue([alert()])
    assert store.waiting() == []


def test_an_undelivered_alert_can_be_put_back(store):
    store.queue([alert()])
    store.take(alert())
    store.put_back(alert())
    assert store.waiting() == [alert()]


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
    store.set_state("flip", {"side": "BULLISH"})
    store.set_state("flip", {"side": "BEARISH"})
    assert again.state("flip") == {"side": "BEARISH"}
    assert again.state("lane") is None


def test_marks_are_deleted_after_90_days(store, clock):
    store.mark_sent(ANN, "flip", "noon")
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
