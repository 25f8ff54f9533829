"""The settings of chats, and quiet hours."""

from __future__ import annotations

from datetime import datetime

import pytest

from bot.store.settings import end_of_quiet
from tests.bot.store.conftest import ANN, BEN, alert


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
    with pytest.raises(ValueError, match="no such setting"):
        store.set_setting(ANN, name, value)


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
    store.set_setting(ANN, "language", "fr")
    assert store.language(ANN) == "fr"
    store.set_setting(ANN, "language", None)
    assert store.language(ANN) == "de"


NIGHT = (22, 7, "UTC")


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


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
    assert end_of_quiet(*hours, seconds(now)) == (seconds(end) if end else 0)


def test_alerts_wait_for_the_end_in_their_order(store, clock):
    """They are kept as much longer, a digest comes at its hour, and other people's come at once."""
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


def test_an_end_to_quiet_hours_releases_alerts(store, clock):
    store.set_setting(ANN, "quiet", "22-7")
    clock.move(hours=15)
    store.queue([alert()])
    assert store.waiting() == []
    store.set_setting(ANN, "quiet", None)
    assert store.setting(ANN, "quiet") is None
    assert [waiting.key for waiting in store.waiting()] == ["noon"]
