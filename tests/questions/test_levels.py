"""Levels: on which side, and whether at the deadline or at any time before it."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import Criterion
from service.questions.levels import around, of_digits, of_levels, of_range
from tests.questions.asking import clause

SPOT = 94_000.0


def levels(text: str, preposition: str = "by") -> Criterion:
    question = clause(text, SPOT)
    return of_levels(question, question.amounts, SPOT, preposition)


@pytest.mark.parametrize(
    ("text", "comparator", "level"),
    [
        ("will btc be above 100k", "close_above", 100_000),
        ("will btc rise above 100k", "touch_above", 100_000),
        ("will btc be below 90k", "close_below", 90_000),
        ("will btc drop to 90k", "touch_below", 90_000),
        ("will btc drop by $5,000", "touch_below", 89_000),
        ("will btc rise more than $2,000", "touch_above", 96_000),
    ],
)
def test_a_verb_of_movement_asks_for_any_time_before(text, comparator, level):
    """A verb of state asks for the deadline; a small amount after a movement is a distance from the spot price."""
    criterion = levels(text)
    assert (criterion.comparator, criterion.level, criterion.notes) == (comparator, level, ())


def test_before_asks_for_any_time_and_on_for_the_deadline():
    assert levels("will btc be above 100k", "before").comparator == "touch_above"
    assert levels("will btc exceed 100k", "on").comparator == "close_above"
    assert levels("will btc exceed 100k").comparator == "touch_above"


def test_staying_above_a_level_denies_touching_it():
    criterion = levels("will btc stay above 90k")
    assert (criterion.comparator, criterion.level, criterion.negated) == ("touch_below", 90_000, True)


def test_the_spot_price_decides_the_side_with_a_note():
    criterion = levels("will btc hit 90k")
    assert criterion.comparator == "touch_below"
    assert "below the present price" in criterion.notes[0]
    assert levels("will btc reach 100k").notes == ()


def test_two_levels_are_a_range_or_refused():
    criterion = levels("will btc be between 90k and 100k")
    assert (criterion.comparator, criterion.level, criterion.upper_level) == ("between", 90_000, 100_000)
    with pytest.raises(InvalidQuestion, match="Two levels"):
        levels("will btc reach 90k or 100k")


ROUND_SPOT = 90_000.0


def digits(text: str, spot: float = ROUND_SPOT, preposition: str = "by") -> Criterion:
    parts = clause(text, spot)
    return of_digits(parts, parts.amounts[0], spot, preposition)


def test_to_leave_a_range_is_not_to_be_in_it():
    inside, outside = (
        of_range(clause(f"will btc {verb} 80k to 100k", ROUND_SPOT), 80_000.0, 100_000.0, ROUND_SPOT, "on")
        for verb in ("be", "leave")
    )
    assert (inside.comparator, inside.level, inside.upper_level, inside.negated) == ("between", 80_000, 100_000, False)
    assert (outside.comparator, outside.negated) == ("between", True)


def test_around_a_level_is_within_two_percent():
    near = around("around", 100_000.0, ROUND_SPOT)
    assert (near.comparator, near.level, near.upper_level) == ("between", 98_000, 102_000)
    assert "within 2%" in near.notes[0]


def test_exactly_a_level_is_refused():
    with pytest.raises(InvalidQuestion, match="No price is met exactly"):
        around("exact", 100_000.0, ROUND_SPOT)


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
