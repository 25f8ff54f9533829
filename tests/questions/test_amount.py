"""An amount has several possible values; the spot price decides between them."""

from __future__ import annotations

import math

import pytest

from service.questions.amount import Amount, nearest, scaled
from service.questions.amounts import find_amounts
from service.questions.tokens import read


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
    """ "95 to 100k", "1.5 to 2 million"; a lower end that is near as it stands stays."""
    assert scaled((lower,), (upper,)) == (expected,)
