"""The amounts of a clause choose its criterion."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criteria import compare, find_criterion
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
