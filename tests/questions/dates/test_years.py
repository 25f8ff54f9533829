"""A year that is named by its distance from the present one, beside a date without a year. NOW is in 2026."""

from __future__ import annotations

import pytest

from service.questions.dates.reading import Today
from service.questions.dates.years import with_years
from service.questions.numerals import spelled
from service.questions.tokens import read
from tests.questions.asking import NOW


def texts_of(text: str) -> list[str]:
    return [token.text for token in with_years(spelled(read(text)[1]), Today(NOW, day_first=False))]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("btc in december next year", ["btc", "in", "december", "2027"]),
        ("btc next year in december", ["btc", "in", "december", "2027"]),
        ("btc on march 3 next year", ["btc", "on", "march", "3", "2027"]),
        ("btc below its december low last year", ["btc", "below", "its", "december", "low", "last", "year"]),
        ("btc in december last year", ["btc", "in", "december", "2025"]),
        ("btc by christmas next year", ["btc", "by", "christmas", "2027"]),
        ("比特币明年12月", ["比特币", "2027年12月"]),
    ],
)
def test_the_year_is_written_behind_its_date(text: str, dated: list[str]):
    """A word other than an article or a preposition between the two separates them."""
    assert texts_of(text) == dated


@pytest.mark.parametrize(
    "text", ["btc in december 2026 next year", "btc on friday next year", "btc next year", "btc next week in december"]
)
def test_a_date_that_takes_no_year_is_left_as_it_is(text: str):
    assert texts_of(text) == [token.text for token in spelled(read(text)[1])]
