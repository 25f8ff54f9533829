"""Numbers, times and keys as text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.messages import formats


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (formats.signed_percent(18.8693), "+18.9%"),
        (formats.signed_percent(-0.01), "+0.0%"),
        (formats.signed_percent(161.4), "+161%"),
        (formats.signed_percent(None), "–"),
        (formats.chance(0.083), "8%"),
        (formats.chance(0.004), "under 1%"),
        (formats.chance(0.996), "over 99%"),
        (formats.chance(1.0), "100%"),
        (formats.usd(11886.93), "11,887 USD"),
        (formats.signed_usd(-868.34), "-868 USD"),
        (formats.signed_usd(-0.2), "+0 USD"),
        (formats.price(53211.85), "53,212"),
        (formats.price(108.559), "108.56"),
        (formats.price(0.45692), "0.4569"),
        (formats.plural(1, "trade"), "1 trade"),
        (formats.plural(2000, "trade"), "2,000 trades"),
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
def test_values_are_formatted_for_people(shown, expected):
    assert shown == expected


def test_a_document_is_stale_after_its_instant():
    document = {"world": "live", "stale_after": "2026-11-21T08:15:00Z"}
    assert not formats.is_stale(document, datetime(2026, 11, 21, 8, 15, tzinfo=UTC))
    assert formats.is_stale(document, datetime(2026, 11, 21, 8, 16, tzinfo=UTC))
    assert not formats.is_stale(document, None)
