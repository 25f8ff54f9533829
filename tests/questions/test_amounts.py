"""Numbers with their currencies, magnitudes and signs."""

from __future__ import annotations

import math

import pytest

from service.questions.amounts import Amount, find_amounts, nearest, scaled
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


def test_the_spot_price_decides_between_the_possible_values():
    (amount,) = find_amounts(read("100.000 usd")[1])
    assert (amount.value(94_000), amount.value(147)) == (100_000, 100)


def test_the_nearest_value_is_the_one_by_ratio():
    """40 is 2.5 times too small, 200 twice too large; by difference 40 would win."""
    assert nearest((40.0, 200.0), 100.0) == 200.0


def test_zero_and_infinity_are_near_no_price():
    assert nearest((0.0, math.inf, 5.0), 100.0) == 5.0


def test_an_amount_that_is_no_range_has_no_upper_value():
    assert Amount(0, 1, (90_000.0,)).upper_value(94_000.0) is None


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (95.0, 100_000.0, 95_000.0),
        (1.5, 2_000_000.0, 1_500_000.0),
        (90_000.0, 100_000.0, 90_000.0),
        (5.0, 100.0, 5.0),
        (0.0, 100_000.0, 0.0),
    ],
)
def test_the_lower_end_is_in_the_magnitude_of_the_upper(lower: float, upper: float, expected: float):
    """Example: "95 to 100k", "1.5 to 2 million"; a lower end that is near as it stands stays."""
    assert scaled((lower,), (upper,)) == (expected,)
