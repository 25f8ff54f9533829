"""Levels must be plausible and ranges must have two ends."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import checked
from service.questions.kinds.levels import between, stay


def test_staying_above_a_level_is_not_touching_it():
    criterion = stay(90_000, below=False)
    assert (criterion.comparator, criterion.level, criterion.negated) == ("touch_below", 90_000, True)


def test_the_ends_of_a_range_are_sorted():
    criterion = between(100_000, 90_000, 94_000)
    assert (criterion.level, criterion.upper_level, criterion.notes) == (90_000, 100_000, ())
    assert between(90_000, 100_000, 94_000, lasting=True).notes


@pytest.mark.parametrize(("low", "high"), [(90_000, 90_000), (2_000, 90_000)])
def test_a_range_without_two_near_ends_is_refused(low, high):
    with pytest.raises(InvalidQuestion):
        between(low, high, 94_000)


@pytest.mark.parametrize(("level", "plausible"), [(940, True), (939, False), (9_400_000, True), (9_400_001, False)])
def test_a_level_is_within_a_hundred_times_the_spot_price(level, plausible):
    if plausible:
        assert checked(level, 94_000) == level
        return
    with pytest.raises(InvalidQuestion, match="between 940 and 9,400,000"):
        checked(level, 94_000)


def test_a_level_in_thousands_is_suggested():
    with pytest.raises(InvalidQuestion, match=r"Did you mean 150,000\?"):
        checked(150, 94_000)
