"""Levels that stand for a range, and numbers of digits."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import Criterion
from service.questions.ranges import around, of_digits, of_range
from tests.questions.asking import clause

SPOT = 90_000.0


def digits(text: str, spot: float = SPOT, preposition: str = "by") -> Criterion:
    parts = clause(text, spot)
    return of_digits(parts, parts.amounts[0], spot, preposition)


def test_to_leave_a_range_is_not_to_be_in_it():
    inside, outside = (
        of_range(clause(f"will btc {verb} 80k to 100k", SPOT), 80_000.0, 100_000.0, SPOT, "on")
        for verb in ("be", "leave")
    )
    assert (inside.comparator, inside.level, inside.upper_level, inside.negated) == ("between", 80_000, 100_000, False)
    assert (outside.comparator, outside.negated) == ("between", True)


def test_around_a_level_is_within_two_percent():
    near = around("around", 100_000.0, SPOT)
    assert (near.comparator, near.level, near.upper_level) == ("between", 98_000, 102_000)
    assert "within 2%" in near.notes[0]


def test_exactly_a_level_is_refused():
    with pytest.raises(InvalidQuestion, match="No price is met exactly"):
        around("exact", 100_000.0, SPOT)


def test_more_digits_are_reached_from_below():
    six = digits("will btc hit 6 figures")
    assert (six.comparator, six.level) == ("touch_above", 100_000)
    assert "at least 100,000 USD" in six.notes[0]


def test_fewer_digits_are_reached_from_above():
    five = digits("will btc fall to 5 figures", spot=110_000.0)
    assert (five.comparator, five.level) == ("touch_below", 100_000)
    assert "less than 100,000 USD" in five.notes[0]


def test_digits_on_a_day_are_those_of_its_close():
    assert digits("will btc be at 6 figures", preposition="on").comparator == "close_above"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("will btc hit 5 figures", "has 5 digits now"), ("will btc fall to 6 figures", "implausible")],
)
def test_digits_that_decide_nothing_are_refused(text: str, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        digits(text)
