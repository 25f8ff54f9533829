"""Numbers with their currencies, magnitudes and signs."""

from __future__ import annotations

import math

import pytest

from service.questions.amounts import nearest, scaled


def test_the_nearest_value_is_the_one_by_ratio():
    """40 is 2.5 times too small, 200 twice too large; by difference 40 would win."""
    assert nearest((40.0, 200.0), 100.0) == 200.0


def test_zero_and_infinity_are_near_no_price():
    assert nearest((0.0, math.inf, 5.0), 100.0) == 5.0


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
