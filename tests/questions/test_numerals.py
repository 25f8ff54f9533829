"""The values of digits with separators, and of numbers in words."""

from __future__ import annotations

import pytest

from service.questions.numerals import readings, spelled
from service.questions.tokens import read


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("100000", (100_000,)),
        ("100,000", (100_000, 100)),
        ("100.000", (100_000, 100)),
        ("1,234,567", (1_234_567,)),
        ("1.234.567", (1_234_567,)),
        ("100'000", (100_000,)),
        ("12,34,567", (1_234_567,)),
        ("100,000.50", (100_000.5,)),
        ("100.000,50", (100_000.5,)),
        ("0.550", (0.55,)),
        ("2,5", (2.5,)),
        ("0,55", (0.55,)),
    ],
)
def test_separators_are_read_as_the_locales_write_them(text, values):
    assert readings(text) == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("btc above one hundred and twenty thousand", 120_000),
        ("btc above a hundred thousand", 100_000),
        ("btc in three weeks", 3),
        ("比特币到十二万", 120_000),
        ("比特币到9万5千", 95_000),
    ],
)
def test_numbers_in_words_become_one_number(text, value):
    numbers = [token.value for token in spelled(read(text)[1]) if token.kind == "number"]
    assert numbers == [value]


def test_which_one_contains_no_number():
    assert not any(token.kind == "number" for token in spelled(read("which one rises")[1]))
