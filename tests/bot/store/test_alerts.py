"""The queue of alerts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from bot.store import Hours
from bot.store.alerts import end_of_quiet
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
    store.set_state("flip", {"side": "BULLISH"})
    store.set_state("flip", {"side": "BEARISH"})
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


NIGHT = Hours(22, 7, "UTC")


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("hours", "now", "end"),
    [
        (NIGHT, "2026-11-21T21:59:59Z", None),
        (NIGHT, "2026-11-21T22:00:00Z", "2026-11-22T07:00:00Z"),
        (NIGHT, "2026-11-22T06:59:59Z", "2026-11-22T07:00:00Z"),
        (NIGHT, "2026-11-22T07:00:00Z", None),
        (Hours(0, 8, "Asia/Tokyo"), "2026-11-21T15:00:00Z", "2026-11-21T23:00:00Z"),
        (Hours(0, 8, "Asia/Tokyo"), "2026-11-21T23:00:00Z", None),
        # The clocks of Berlin go back an hour in this night.
        (Hours(22, 7, "Europe/Berlin"), "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"),
    ],
)
def test_the_end_of_quiet_hours(hours, now, end):
    assert end_of_quiet(hours, seconds(now)) == (seconds(end) if end else 0)


def test_alerts_wait_for_the_end_in_their_order(store, clock):
    """They are kept as much longer, a digest comes at its hour, and other people's come at once."""
    store.set_quiet_hours(ANN, NIGHT)
    clock.move(hours=15)  # it is 23:00
    until = clock.now.timestamp() + 60
    store.queue([alert(key="one", until=until), alert(event="digest"), alert(BEN)])
    assert [(waiting.user_id, waiting.event) for waiting in store.waiting()] == [(ANN, "digest"), (BEN, "flip")]
    clock.move(hours=8)
    store.queue([alert(key="two")])
    store.remove(alert(event="digest"))
    store.remove(alert(BEN))
    assert [waiting.key for waiting in store.waiting()] == ["one", "two"]


def test_an_end_to_quiet_hours_releases_alerts(store, clock):
    store.set_quiet_hours(ANN, NIGHT)
    clock.move(hours=15)
    store.queue([alert()])
    assert store.waiting() == []
    store.set_quiet_hours(ANN, None)
    assert store.quiet_hours(ANN) is None
    assert [waiting.key for waiting in store.waiting()] == ["noon"]
