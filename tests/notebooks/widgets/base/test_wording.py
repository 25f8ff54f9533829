"""The world, the time and the age of a document in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from notebooks.widgets.base.wording import duration, escaped, price, provenance, shortened

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
DOCUMENT = {"world": "live", "as_of": "2026-11-21T05:00:00Z", "stale_after": "2026-11-21T08:02:00Z"}


def test_a_document_is_stale_after_its_instant():
    """Not at the instant itself."""
    assert provenance(DOCUMENT, NOW) == "live prices · as of 2026-11-21 05:00 UTC"
    assert provenance(DOCUMENT, NOW + timedelta(seconds=1)).endswith(" · STALE: no update for 3 h")


def test_a_replay_is_never_stale():
    """Its document is of the past of the wall clock."""
    assert "STALE" not in provenance({**DOCUMENT, "world": "replay"}, NOW + timedelta(days=900))


def test_an_unknown_world_keeps_its_name():
    assert provenance({**DOCUMENT, "world": "mars"}, NOW).startswith("mars · ")


@pytest.mark.parametrize(
    ("length", "text"), [({"minutes": 119}, "119 min"), ({"hours": 47}, "47 h"), ({"hours": 49}, "2 days")]
)
def test_a_duration_is_in_its_largest_whole_unit(length, text):
    assert duration(timedelta(**length)) == text


def test_a_long_text_is_cut_to_its_length():
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "1234…"


def test_quotation_marks_are_not_escaped_for_plotly():
    """plotly would show the entity."""
    assert escaped("<b>'a' & \"b\"") == "&lt;b&gt;'a' &amp; \"b\""


@pytest.mark.parametrize(
    ("usd", "text"),
    [(53_035.65, "53,036"), (999.994, "999.99"), (1.0, "1.00"), (0.36, "0.3600"), (0.0123456, "0.01235")],
)
def test_a_price_has_the_digits_of_its_size(usd, text):
    assert price(usd) == text
