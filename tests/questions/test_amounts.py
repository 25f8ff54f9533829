"""Numbers with their currencies, magnitudes and signs."""

from __future__ import annotations

import pytest

from service.questions.amount import Amount
from service.questions.amounts import find_amounts
from service.questions.tokens import read


def _amounts(text: str) -> list[Amount]:
    return find_amounts(read(text)[1])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$120k", (120_000,)),
        ("100.000 usd", (100_000, 100)),
        ("100 000 usd", (100_000,)),
        ("1.5 million", (1_500_000,)),
        ("50 cents", (0.5,)),
        ("100 mil", (100_000, 100_000_000)),
    ],
)
def test_an_amount_has_these_possible_values(text, values):
    assert [amount.values for amount in _amounts(text)] == [pytest.approx(values)]


def test_a_dash_makes_a_range_with_one_magnitude():
    (amount,) = _amounts("95-100k")
    assert (amount.value(94_000), amount.upper_value(94_000)) == (95_000, 100_000)


@pytest.mark.parametrize(("text", "sign"), [("-10%", -1), ("+10%", 1), ("sub-30", 0), ("10%", 0)])
def test_a_sign_belongs_to_an_amount_only_where_it_is_glued(text, sign):
    assert [amount.sign for amount in _amounts(text)] == [sign]


def test_percentages_multiples_and_currencies_are_marked():
    percent, multiple, euros = (_amounts(text)[0] for text in ("10%", "2x", "€100"))
    assert (percent.is_percent, multiple.is_multiple, euros.currency) == (True, True, "EUR")
    assert not percent.is_marked
    assert _amounts("100k+")[0].is_or_more
