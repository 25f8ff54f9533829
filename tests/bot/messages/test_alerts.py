"""The alert settings and the digest."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bot import messages
from tests.bot import documents, examples
from tests.bot.messages.reading import text_of


def test_the_digest_is_dated_in_the_readers_zone():
    """`now` carries the time zone."""
    late = datetime(2026, 11, 22, 7, 30, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert "Sunday 22 November" in messages.digest(examples.WIDGET, examples.BATTLE, documents.versus(), late)


def test_every_switch_and_the_digest_hour_are_shown():
    page = text_of(messages.alerts({"flip": "silent", "digest": "on"}, {"hour": 8, "timezone": "Europe/Zurich"}))
    assert "Daily digest (08:00 Europe/Zurich): on" in page
    assert "The consensus changes sides: silent" in page


def test_a_digest_names_missing_values():
    """A new service has no consensus."""
    young = examples.WIDGET | {
        "consensus": None,
        "btc": examples.WIDGET["btc"] | {"change_24h_pct": None},
    }
    page = text_of(messages.digest(young, examples.BATTLE, documents.versus(), datetime(2026, 11, 21, 8, tzinfo=UTC)))
    assert "no consensus yet" in page
