"""The amounts of a clause choose its criterion."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criteria import compare, find_criterion, of_multiples, of_percents, of_words
from service.questions.criterion import Criterion
from tests.questions.asking import clause

SPOT = 94_000.0


@pytest.mark.parametrize(
    ("text", "comparator", "level"),
    [
        ("will btc reach 100k", "touch_above", 100_000),
        ("will btc rise 50%", "touch_above", 141_000),
        ("will btc 2x", "touch_above", 188_000),
        ("will btc rise", "up", None),
    ],
)
def test_a_level_a_percentage_a_multiple_or_words_decide(text, comparator, level):
    criterion = find_criterion(clause(text), SPOT, "by")
    assert (criterion.comparator, criterion.level) == (comparator, level)


def test_a_level_comes_before_a_percentage_with_a_note():
    criterion = find_criterion(clause("will btc rise 10% to 100k"), SPOT, "by")
    assert (criterion.level, criterion.notes) == (100_000, ("The percentage was ignored: the level counts.",))


def test_a_level_written_twice_counts_once():
    assert find_criterion(clause("will btc reach 100k ($100,000)"), SPOT, "by").level == 100_000


def test_records_are_refused_without_stored_prices():
    with pytest.raises(InvalidQuestion, match="Records other than"):
        find_criterion(clause("will btc reach a new all-time high"), SPOT, "by")


def test_a_comparison_is_negated_by_underperforming():
    assert compare(clause("will btc outperform eth")).negated is False
    assert compare(clause("will btc underperform eth")).negated is True
    assert compare(clause("will btc fall more than eth")).negated is True
    with pytest.raises(InvalidQuestion, match="takes no level"):
        compare(clause("will btc outperform eth above 100k"))


ROUND_SPOT = 100_000.0


def percents(text: str) -> Criterion:
    move = clause(text, ROUND_SPOT)
    return of_percents(move, move.amounts, ROUND_SPOT)


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
    move = clause(text, ROUND_SPOT)
    criterion = of_multiples(move, move.amounts, ROUND_SPOT)
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
    assert of_words(clause(text, ROUND_SPOT), ROUND_SPOT).comparator == comparator
