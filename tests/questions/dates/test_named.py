"""Dates of the calendar, as they are written: numbers, months, quarters, holidays."""

from __future__ import annotations

from datetime import date

import pytest

from service.errors import InvalidQuestion
from tests.questions.asking import dates_in


def dates(text: str, *, day_first: bool = False) -> tuple[date, date] | None:
    """The first and the last day of the one date in a text that is written on Saturday, 21 November 2026."""
    return next(iter(dates_in(text, day_first=day_first)), None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("31.12.2026", date(2026, 12, 31)),
        ("12/31/2026", date(2026, 12, 31)),
        ("2026/12/31", date(2026, 12, 31)),
        ("31 december", date(2026, 12, 31)),
        ("january 3", date(2027, 1, 3)),
        ("the 15th", date(2026, 12, 15)),
        ("the 30th", date(2026, 11, 30)),
        ("christmas", date(2026, 12, 25)),
        ("december 24-26", date(2026, 12, 26)),
        ("february 29", date(2028, 2, 29)),
    ],
)
def test_a_day_is_the_next_one_of_that_name(text, day):
    assert dates(f"btc {text}") == (day, day)


def test_two_numbers_are_read_in_the_order_of_the_language():
    assert dates("btc 3/4") == (date(2027, 3, 4),) * 2
    assert dates("btc 3/4", day_first=True) == (date(2027, 4, 3),) * 2
    assert dates("btc 24/7") is None


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("december 2026", date(2026, 12, 1), date(2026, 12, 31)),
        ("q3", date(2027, 7, 1), date(2027, 9, 30)),
        ("the first half of 2027", date(2027, 1, 1), date(2027, 6, 30)),
        ("summer", date(2027, 6, 1), date(2027, 8, 31)),
        ("last march", date(2026, 3, 1), date(2026, 3, 31)),
        ("last december", date(2025, 12, 1), date(2025, 12, 31)),
        ("the second week of december", date(2026, 12, 1), date(2026, 12, 14)),
    ],
)
def test_a_range_has_its_first_and_last_day(text, first, last):
    assert dates(f"btc {text}") == (first, last)


@pytest.mark.parametrize("text", ["february 30", "by 32 december", "2026-13-01", "2026-13-01T10:00+02:00"])
def test_a_day_that_does_not_exist_is_refused(text):
    with pytest.raises(InvalidQuestion, match="no such date"):
        dates(f"btc {text}")
