"""Dates counted from today, which is Saturday, 21 November 2026, 10:00."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from service.questions.dates.matching import Span, spans
from service.questions.dates.reading import Today
from service.questions.numerals import spelled
from service.questions.tokens import read
from tests.questions.asking import NOW, dates_in


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


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("btc 2 weeks before christmas", date(2026, 12, 11), date(2026, 12, 11)),
        ("btc 10 days from december 1", date(2026, 12, 11), date(2026, 12, 11)),
        ("btc the day before christmas", date(2026, 12, 24), date(2026, 12, 24)),
        ("btc the week after christmas", date(2026, 12, 26), date(2027, 1, 1)),
        ("btc the friday before christmas", date(2026, 12, 18), date(2026, 12, 18)),
        ("btc the first monday after easter", date(2027, 3, 29), date(2027, 3, 29)),
        ("btc the second monday after easter", date(2027, 4, 5), date(2027, 4, 5)),
        ("btc the weekend before christmas", date(2026, 12, 19), date(2026, 12, 20)),
        ("btc the weekend after christmas", date(2026, 12, 26), date(2026, 12, 27)),
        ("btc the week of december 9", date(2026, 12, 7), date(2026, 12, 13)),
        ("btc the last friday of december", date(2026, 12, 25), date(2026, 12, 25)),
        ("btc the second friday of december", date(2026, 12, 11), date(2026, 12, 11)),
        ("btc the last weekend of december", date(2026, 12, 26), date(2026, 12, 27)),
        ("btc the first week of december", date(2026, 12, 1), date(2026, 12, 7)),
        ("btc the last week of december", date(2026, 12, 25), date(2026, 12, 31)),
        ("btc the last day of december", date(2026, 12, 31), date(2026, 12, 31)),
        ("btc the first month of 2027", date(2027, 1, 1), date(2027, 1, 31)),
        ("btc the second half of 2027", date(2027, 7, 1), date(2027, 12, 31)),
        ("btc the first half of december", date(2026, 12, 1), date(2026, 12, 15)),
    ],
)
def test_a_date_is_counted_from_its_anchor(text: str, first: date, last: date):
    assert dates_in(text) == [(first, last)]


def test_a_weekday_that_its_month_lacks_is_no_part_of_it():
    """December 2026 has four Mondays."""
    assert (date(2027, 1, 4), date(2027, 1, 4)) not in dates_in("btc the fifth monday of december")
