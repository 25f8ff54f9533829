"""A question survives JSON, and prices decide whether its event took place."""

from __future__ import annotations

import json

import pytest

from service.market.bars import from_rows
from service.market.instants import HOUR
from service.questions.kinds.path import RecordedPath
from service.questions.question import Question
from tests.questions.asking import question


def test_a_question_survives_json():
    original = question(comparator="between", level=1.0, upper_level=2.0, notes=("a note",))
    assert Question.from_plain(json.loads(json.dumps(original.to_plain(), allow_nan=False))) == original


@pytest.mark.parametrize(
    ("comparator", "final", "high", "low", "expected"),
    [
        ("close_above", 100.0, 110.0, 90.0, False),
        ("close_above", 100.1, 110.0, 90.0, True),
        ("close_below", 100.0, 110.0, 90.0, False),
        ("touch_above", 90.0, 100.0, 90.0, True),
        ("between", 100.0, 110.0, 90.0, True),
        ("between", 120.1, 121.0, 90.0, False),
        ("up", 95.0, 110.0, 90.0, False),
        ("down", 94.9, 110.0, 90.0, True),
        ("open", 95.1, 110.0, 90.0, True),
    ],
)
def test_prices_decide_the_event(comparator, final, high, low, expected):
    """With a level of 100 USD, an upper level of 120 USD and a spot price of 95 USD."""
    event = question(comparator=comparator, level=100.0, upper_level=120.0, spot=95.0)
    bars = from_rows([(HOUR, final, high, low, final, 0)], HOUR)
    assert event.kind.event(event, RecordedPath("btc", 95.0, HOUR, 2 * HOUR, bars)) == expected


def test_a_question_without_a_level_has_no_threshold():
    with pytest.raises(ValueError, match="up has no level"):
        _ = question().threshold
