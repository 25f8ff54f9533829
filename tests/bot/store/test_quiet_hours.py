"""Quiet hours: alerts wait for their end, and none expires meanwhile."""

from __future__ import annotations

from datetime import datetime

import pytest

from bot.store import Hours
from bot.store.quiet_hours import end_of_quiet
from tests.bot.store.people import ANN, BEN, alert

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
