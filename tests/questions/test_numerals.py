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


def test_which_one_contains_no_number():
    assert not any(token.kind == "number" for token in spelled(read("which one rises")[1]))
