"""The canonical sentence and the way it writes prices."""

from __future__ import annotations

import pytest

from service.questions.canonical import canonical
from service.questions.criterion import price
from service.questions.kinds import KINDS
from service.questions.question import Leg
from tests.questions.asking import question

LEGS = (Leg("btc", "up", 94075.9), Leg("gold", "touch_below", 3282.8, negated=True, level=3000.0))


@pytest.mark.parametrize(
    ("usd", "written"),
    [(94075.9, "94,075.9"), (120_000, "120,000"), (2.1929, "2.1929"), (1.00000001, "1"), (None, "")],
)
def test_a_price_has_commas_and_no_trailing_zeros(usd, written):
    assert price(usd) == written


def test_the_sentence_contains_nothing_of_the_raw_text():
    assert canonical(question()) == (
        "Will Bitcoin (btc) be above its present price of 94,075.9 USD at 2026-11-22 10:00 UTC?"
    )


def test_a_topic_is_its_own_sentence():
    """The text is its only statement."""
    assert canonical(question(comparator="topic")) == question().text


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("comparator", [name for name in KINDS if name != "topic"])
def test_every_kind_of_question_has_a_full_sentence(comparator, negated):
    levels = {"level": 90_000.0, "upper_level": 100_000.0, "other_asset": "gold"}
    counts = {"level_pct": 3.0, "days": 3}
    legs = LEGS if comparator in ("both", "either") else ()
    sentence = canonical(question(comparator=comparator, negated=negated, legs=legs, **levels, **counts))
    assert sentence.endswith("?")
    assert "  " not in sentence
