"""The streaks."""

from __future__ import annotations

from bot import messages
from tests.bot import examples
from tests.bot.messages.reading import text_of


def test_an_accuracy_of_few_questions_is_not_shown():
    row = examples.STREAKS["streaks"][0] | {"resolved": 40, "accuracy_pct": 81.8, "backfilled": False}
    assert "82%" not in text_of(messages.streaks(examples.STREAKS | {"streaks": [row | {"n": 11}]}))
    assert "82%" in text_of(messages.streaks(examples.STREAKS | {"streaks": [row | {"n": 30}]}))
