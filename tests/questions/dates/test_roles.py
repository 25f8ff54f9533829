"""Whether a number is a day, a year or an amount depends on the tokens beside it."""

from __future__ import annotations

import pytest

from service.questions.dates.roles import roles, with_units
from service.questions.tokens import read


def role_of(text: str, word: str) -> set[str]:
    tokens = read(text)[1]
    place = next(place for place, token in enumerate(tokens) if token.text == word)
    return set(roles(tokens)[place])


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("btc in 2027", "2027", {"count", "year"}),
        ("btc above 2027", "2027", {"count"}),
        ("btc 31 dec", "31", {"count", "day"}),
        ("btc 31 usd", "31", set()),
        ("btc $31", "31", set()),
        ("btc by 32 december", "32", {"count", "odd"}),
        ("btc by 31.12", "31.12", {"count", "daymonth"}),
        ("btc above 31.12", "31.12", {"count"}),
    ],
)
def test_a_number_is_a_date_only_in_its_place(text, word, expected):
    assert role_of(text, word) == expected


def test_an_everyday_word_is_a_month_only_beside_a_date():
    assert role_of("btc may rise", "may") == set()
    assert role_of("btc by may", "may") == {"month"}
    assert role_of("btc may 5", "may") == {"month"}


def test_the_unit_that_is_closed_is_the_present_one():
    assert "closed" in role_of("close the month above 100k", "month")
    assert "closed" not in role_of("close above 100k in a month", "month")


def test_the_m_of_a_span_means_minutes():
    """Elsewhere it may mean a million."""
    assert [token.kind for token in with_units(read("btc in 15m")[1])][-1] == "unit"
    assert [token.kind for token in with_units(read("btc above 15m")[1])][-1] == "m"


def test_years_within_which_are_counted_in_glyphs():
    """After a number 年内 means within so many years, elsewhere within this year."""
    assert [token.kind for token in with_units(read("btc 2年内")[1])][-2:] == ["unit", "within"]
    assert [token.kind for token in with_units(read("btc 年内")[1])][-1] == "eo"
