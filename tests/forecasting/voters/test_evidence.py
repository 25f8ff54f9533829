"""How often questions like this one came true: only where enough of them have resolved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.voters.evidence import PastQuestion, YesCount, similar

PAST = PastQuestion("touch_above", negated=False, horizon_hours=72.0, base=0.30, happened=True)
OTHERS = {
    "another comparator": replace(PAST, comparator="touch_below"),
    "its opposite": replace(PAST, negated=True),
    "a base rate 11 points away": replace(PAST, base=0.41),
    "a horizon over three times as long": replace(PAST, horizon_hours=217.0),
    "a horizon under a third": replace(PAST, horizon_hours=23.9),
}


@pytest.fixture
def question(asking):
    return asking("touch_above", at=1.03)


def test_the_rate_counts_questions_that_came_true(question):
    """Seven of ten, with base rates and horizons at the ends of what counts as similar."""
    near = [replace(PAST, base=base, horizon_hours=hours) for base in (0.21, 0.39) for hours in (24.0, 216.0)]
    resolved = [*near, *[PAST] * 3, *[replace(PAST, happened=False)] * 3]
    assert similar(question, 0.30, resolved) == YesCount(7, 10)


def test_fewer_than_ten_questions_give_no_rate(question):
    assert similar(question, 0.30, [PAST] * 9) is None
    assert similar(question, 0.30, [PAST] * 10) == YesCount(10, 10)


@pytest.mark.parametrize("name", OTHERS)
def test_a_question_that_differs_does_not_count(question, name):
    assert similar(question, 0.30, [PAST] * 9 + [OTHERS[name]]) is None
