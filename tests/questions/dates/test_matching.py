"""The longest rule that matches the tokens gives the date."""

from __future__ import annotations

from datetime import date

import pytest

from service.questions.dates.matching import RULES, rules_by_role
from tests.questions.asking import dates_in


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("btc friday december 4", date(2026, 12, 4), date(2026, 12, 4)),
        ("btc 31-Dec-2026", date(2026, 12, 31), date(2026, 12, 31)),
        ("btc the first week of december", date(2026, 12, 1), date(2026, 12, 7)),
        ("btc november 24-30", date(2026, 11, 30), date(2026, 11, 30)),
        ("btc q1 2027", date(2027, 1, 1), date(2027, 3, 31)),
        ("btc h2", date(2026, 7, 1), date(2026, 12, 31)),
        ("btc end of next month", date(2026, 12, 31), date(2026, 12, 31)),
        ("btc february 29", date(2028, 2, 29), date(2028, 2, 29)),
        ("btc friday week", date(2026, 12, 4), date(2026, 12, 4)),
    ],
)
def test_the_longest_date_in_the_text_is_read(text, first, last):
    assert dates_in(text) == [(first, last)]


@pytest.mark.parametrize("text", ["btc above 2026", "btc 24/7", "btc may rise", "btc up 10%", "btc to 2000"])
def test_levels_and_everyday_words_are_nodates_in(text):
    assert dates_in(text) == []


def test_every_rule_is_indexed_by_its_first_role():
    assert {rule.rank for rules in rules_by_role().values() for rule in rules} == set(range(len(RULES)))
