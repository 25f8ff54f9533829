"""What the rules for dates share: days, years, counts and parts of a range."""

from __future__ import annotations

from datetime import date

import pytest

from service.errors import InvalidQuestion
from service.questions.dates import periods
from service.questions.dates.reading import Today, count, day, next_time, part, written_year
from service.questions.tokens import Token
from tests.questions.asking import NOW

DECEMBER = periods.months(2026, 12)


def test_a_day_that_does_not_exist_is_refused():
    assert day(2028, 2, 29).end.date() == date(2028, 2, 29)
    with pytest.raises(InvalidQuestion, match="no such date"):
        day(2026, 2, 29)


@pytest.mark.parametrize(("text", "year"), [("27", 2027), ("2027", 2027)])
def test_a_year_of_two_digits_is_in_this_century(text, year):
    assert written_year(Token("year", text)) == year


@pytest.mark.parametrize(
    ("token", "expected"),
    [(Token("a", "a"), 1.0), (Token("number", "48"), 48.0), (Token("number", "two", 2.0), 2.0)],
)
def test_a_count_is_in_digits_or_words(token, expected):
    assert count(token) == expected


@pytest.mark.parametrize(("month", "year"), [(10, 2027), (11, 2026), (12, 2026)])
def test_a_month_that_has_ended_is_that_of_the_next_year(month, year):
    today = Today(NOW, day_first=False)
    assert next_time(today, None, lambda in_year: periods.months(in_year, month)).end.year == year
    assert next_time(today, 2026, lambda in_year: periods.months(in_year, month)).end.year == 2026


@pytest.mark.parametrize(("name", "last"), [("start", 1), ("early", 11), ("mid", 16), ("end", 31)])
def test_a_part_of_a_range_ends_on_one_day(name, last):
    assert part({name: Token(name, name)}, DECEMBER).end.date() == date(2026, 12, last)
    assert part({}, DECEMBER) == DECEMBER
