"""Moves: by a percentage, by a multiple, or up and down without an amount."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import Criterion
from service.questions.moves import of_multiples, of_percents, of_words
from tests.questions.asking import clause

SPOT = 100_000.0


def percents(text: str) -> Criterion:
    move = clause(text, SPOT)
    return of_percents(move, move.amounts, SPOT)


@pytest.mark.parametrize(
    ("text", "comparator", "level", "pct"),
    [
        ("will btc rise 10%", "touch_above", 110_000, 10),
        ("will btc fall 10%", "touch_below", 90_000, -10),
        ("will btc be +10%", "close_above", 110_000, 10),
        ("will btc close 10% above its current price", "close_above", 110_000, 10),
        ("will btc be 10% below today's price", "close_below", 90_000, -10),
    ],
)
def test_a_percentage_is_a_level_relative_to_the_spot_price(text, comparator, level, pct):
    criterion = percents(text)
    assert (criterion.comparator, criterion.level_pct, criterion.negated) == (comparator, pct, False)
    assert criterion.level == pytest.approx(level)


def test_gaining_less_than_a_percentage_negates_the_gain():
    criterion = percents("will btc gain less than 5%")
    assert (criterion.comparator, criterion.level_pct, criterion.negated) == ("touch_above", 5, True)


def test_two_percentages_are_a_range():
    criterion = percents("will btc rise between 5% and 10%")
    assert criterion.comparator == "between"
    assert (criterion.level, criterion.upper_level) == pytest.approx((105_000, 110_000))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("btc 10%", "up or down"), ("will btc rise 0%", "no move"), ("will btc rise 5% 10%", "several percentages")],
)
def test_an_unclear_percentage_is_refused(text, complaint):
    with pytest.raises(InvalidQuestion, match=complaint):
        percents(text)


@pytest.mark.parametrize(("text", "level", "pct"), [("will btc 2x", 200_000, 100), ("will btc fall 2x", 50_000, -50)])
def test_a_multiple_is_a_touch_of_its_level(text, level, pct):
    """To fall twofold is to halve."""
    move = clause(text, SPOT)
    criterion = of_multiples(move, move.amounts, SPOT)
    assert (criterion.level, criterion.level_pct) == (level, pct)
    assert criterion.comparator == ("touch_above" if pct > 0 else "touch_below")


@pytest.mark.parametrize(
    ("text", "comparator"),
    [
        ("will btc rise", "up"),
        ("will btc fall", "down"),
        ("will btc rise or fall", "up"),
        ("will btc be below its current price", "down"),
        ("where is btc heading", "open"),
        ("will btc halve", "touch_below"),
    ],
)
def test_words_without_an_amount_give_a_direction(text, comparator):
    assert of_words(clause(text, SPOT), SPOT).comparator == comparator
