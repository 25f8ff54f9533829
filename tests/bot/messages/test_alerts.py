"""The alert settings and the digest."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot import messages
from tests.bot import documents
from tests.bot.messages.reading import text_of


def test_the_digest_is_dated_in_the_readers_zone():
    """`now` carries the time zone."""
    instant = datetime(2026, 11, 22, 7, 30, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert "Sunday 22 November" in messages.alerts.digest(
        documents.WIDGET, documents.BATTLE, documents.versus(), instant
    )


def test_the_hours_of_alerts_are_shown():
    page = text_of(messages.alerts.alerts("8", "22-7"))
    assert "Digest hour: 08:00" in page
    assert "Quiet hours: 22:00–07:00" in page


def test_a_digest_names_missing_values():
    """A new service has no consensus."""
    document = documents.WIDGET | {
        "consensus": None,
        "btc": documents.WIDGET["btc"] | {"change_24h_pct": None},
    }
    page = text_of(
        messages.alerts.digest(document, documents.BATTLE, documents.versus(), datetime(2026, 11, 21, 8, tzinfo=UTC))
    )
    assert "no consensus yet" in page


TOO_SHORT = documents.versus() | {"books": documents.versus()["books"][:1]}  # the empty live book alone


def digest(n: int, **parts) -> str:
    resolutions = documents.week(n)
    resolutions["markets"] = [market | parts for market in resolutions["markets"]]
    return text_of(
        messages.alerts.weekly(resolutions, documents.versus(), documents.BATTLE, documents.CHALLENGES, documents.AS_OF)
    )


def test_the_track_record_has_n_interval_and_benchmark():
    """The AI and the market with their intervals, which count markets of one week once; then the verdict."""
    page = digest(40)
    assert "40 markets resolved: 40 yes, 0 no." in page
    assert "AI 59% right (n = 400, 95% interval 55% to 63%), market 59% right (n = 400" in page
    assert "(SIMULATED), backfilled. By the Brier score, which also counts how sure each was: no clear" in page
    assert "PAPER" in page
    assert "SIMULATED market" in page


def test_a_short_record_gives_no_share():
    page = text_of(
        messages.alerts.weekly(documents.week(3), TOO_SHORT, documents.BATTLE, documents.CHALLENGES, documents.AS_OF)
    )
    assert "AI against market: not enough resolved markets." in page
    assert "right (n" not in page


@pytest.mark.parametrize(
    "parts",
    [
        {"backfilled": True},
        {"resolution": documents.resolved_market()["resolution"] | {"outcome": "void"}},
        {"resolution": documents.resolved_market()["resolution"] | {"resolved_at": "2026-11-14T07:59:59Z"}},
    ],
)
def test_only_live_markets_of_the_week_count(parts):
    assert "\n0 markets resolved" in digest(40, **parts)


def test_open_challenges_come_with_their_command():
    assert "/challenge 17" in digest(1)
