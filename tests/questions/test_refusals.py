"""A refusal names its field and says how to ask instead."""

from __future__ import annotations

from datetime import UTC, datetime

from service.market.assets import ASSETS
from service.questions import understand
from service.questions.refusals import EXAMPLE, invalid, not_about_markets
from tests.questions.asking import SPOTS


def test_the_error_of_a_refusal_names_the_question():
    for refusal in (invalid("No."), not_about_markets()):
        assert [(error.field, error.message) for error in refusal.errors] == [("question", refusal.detail)]


def test_the_refusal_of_another_text_names_every_asset():
    assert all(asset.name in not_about_markets().detail for asset in ASSETS.values())


def test_the_example_in_a_refusal_is_understood():
    question = understand(EXAMPLE, datetime(2026, 11, 21, 10, tzinfo=UTC), SPOTS)
    assert (question.comparator, question.level, question.notes) == ("touch_above", 120_000, ())
