"""Levels: on which side, and whether at the deadline or at any time before it."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import Criterion
from service.questions.levels import of_levels
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
