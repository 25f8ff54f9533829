"""Numbers, times and keys as text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.languages import speaking
from bot.messages import formats


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (formats.signed_percent(18.8693), "+18.9%"),
        (formats.signed_percent(-0.01), "0.0%"),
        (formats.signed_percent(161.4), "+161%"),
        (formats.signed_percent(None), "–"),
        (formats.chance(0.083), "8%"),
        (formats.chance(0.004), "under 1%"),
        (formats.chance(0.996), "over 99%"),
        (formats.chance(1.0), "100%"),
        (formats.price(53211.85), "53,212"),
        (formats.price(108.559), "108.56"),
        (formats.price(0.45692), "0.4569"),
        (formats.decimal(-0.0004, 3), "0.000"),
        (formats.signed_decimal(0.25, 2), "+0.25"),
        (formats.price(0.000012345), "0.00001234"),
        (formats.instant("2026-11-21T08:00:00Z"), "2026-11-21 08:00 UTC"),
        (formats.instant("2026-11-21T08:00:00.123Z"), "2026-11-21 08:00 UTC"),
        (formats.instant("<soon>"), "&lt;soon&gt;"),
        (formats.instant(None), "–"),
        (
            formats.direction_arrow("BULLISH")
            + formats.direction_arrow("BEARISH")
            + formats.direction_arrow("NEUTRAL"),
            "▲▼■",
        ),
        (formats.world({"world": "replay"}), "REPLAY of past prices"),
        (formats.world({"world": "<moon>"}), "&lt;moon&gt;"),
    ],
)
def test_values_are_formatted_for_people(text, expected):
    assert text == expected


def test_a_document_is_stale_after_its_instant():
    document = {"world": "live", "stale_after": "2026-11-21T08:15:00Z"}
    assert not formats.is_stale(document, datetime(2026, 11, 21, 8, 15, tzinfo=UTC))
    assert formats.is_stale(document, datetime(2026, 11, 21, 8, 16, tzinfo=UTC))
    assert not formats.is_stale(document, None)


IN_GERMAN = (
    "12,3\u00a0%",
    "-3,2\u00a0%",
    "+1.234\u00a0%",
    "0,4569",
    "21.11.2026 08:00 UTC",
    "über 99\u00a0%",
)


IN_TURKISH = ("%12,3", "-%3,2", "+%1.234", "0,4569", "21 Kas 2026 08:00 UTC", "%99 üstü")


IN_JAPANESE = ("12.3%", "-3.2%", "+1,234%", "0.4569", "2026/11/21 08:00 UTC", "99%超")


@pytest.mark.parametrize(("language", "expected"), [("de", IN_GERMAN), ("tr", IN_TURKISH), ("ja", IN_JAPANESE)])
def test_numbers_and_dates_follow_the_language(language, expected):
    instant = "2026-11-21T08:00:00Z"
    with speaking(language):
        assert (
            formats.percent(12.34),
            formats.signed_percent(-3.2),
            formats.signed_percent(1234.4),
            formats.price(0.45692),
            formats.instant(instant),
            formats.chance(0.996),
        ) == expected
