"""Dates that need another date. Christmas of 2026 is a Friday, Easter of 2027 is March 28."""

from __future__ import annotations

from datetime import date

import pytest

from tests.questions.asking import dates_in


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
