"""Dates counted from today, which is Saturday, 21 November 2026, 10:00."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from service.questions.dates.matching import Span, spans
from service.questions.dates.reading import Today
from service.questions.numerals import spelled
from service.questions.tokens import read
from tests.questions.asking import NOW


def span(text: str) -> Span:
    (only,) = spans(spelled(read(text)[1]), Today(NOW, day_first=False))
    return only


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("tomorrow", date(2026, 11, 22)),
        ("friday", date(2026, 11, 27)),
        ("saturday", date(2026, 11, 21)),
        ("next friday", date(2026, 11, 27)),
        ("friday week", date(2026, 12, 4)),
        ("a week from friday", date(2026, 12, 4)),
        ("this week", date(2026, 11, 22)),
        ("next month", date(2026, 12, 31)),
        ("eoy", date(2026, 12, 31)),
        ("eoy 2027", date(2027, 12, 31)),
        ("this weekend", date(2026, 11, 22)),
    ],
)
def test_a_date_is_counted_from_today(text, last):
    assert span(f"btc {text}").dates.end.date() == last


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("in 3 hours", NOW + timedelta(hours=3)),
        ("in two weeks", NOW + timedelta(weeks=2)),
        ("in the coming weeks", NOW + timedelta(weeks=3)),
        ("in half a month", NOW + timedelta(days=15)),
    ],
)
def test_a_duration_ends_at_an_instant(text, end: datetime):
    assert (span(f"btc {text}").dates.end, span(f"btc {text}").dates.exact) == (end, True)


@pytest.mark.parametrize(
    ("text", "day"),
    [("3 days ago", date(2026, 11, 18)), ("last friday", date(2026, 11, 20)), ("last month", date(2026, 10, 31))],
)
def test_last_and_ago_are_in_the_past(text, day):
    assert (span(f"btc {text}").dates.end.date(), span(f"btc {text}").is_past) == (day, True)
