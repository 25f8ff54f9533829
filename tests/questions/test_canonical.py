"""The canonical sentence and the way it writes prices."""

from __future__ import annotations

import pytest

from service.questions.canonical import rule
from service.questions.criterion import price
from service.questions.kinds import KINDS
from service.questions.question import Leg
from tests.questions.asking import NOW, question


@pytest.mark.parametrize(
    ("usd", "text"),
    [(94075.9, "94,075.9"), (120_000, "120,000"), (2.1929, "2.1929"), (1.00000001, "1"), (None, "")],
)
def test_a_price_has_commas_and_no_trailing_zeros(usd, text):
    assert price(usd) == text


ASKED_AT = int(NOW.timestamp())


def test_the_rule_names_the_prices_the_level_and_the_instants():
    assert rule(question(comparator="touch_above", level=120_000.0), ASKED_AT) == (
        "YES if any Bitcoin price of this service's feed from 2026-11-21 10:00:00 UTC to 2026-11-22 10:00:00 UTC "
        "is at or above 120,000 USD."
    )


@pytest.mark.parametrize("comparator", [name for name, kind in KINDS.items() if len(kind.condition) > 1])
def test_a_negated_question_has_another_rule(comparator):
    fields = {"comparator": comparator, "level": 90_000.0, "upper_level": 100_000.0, "other_asset": "gold"}
    fields |= {"level_pct": 3.0, "days": 3}
    assert rule(question(**fields), ASKED_AT) != rule(question(**fields, negated=True), ASKED_AT)


def test_the_rule_of_two_events_names_both():
    """Both, either or both, neither, not both: each asset's own condition, and how they are joined."""
    legs = (Leg("btc", "close_above", 94075.9, level=100_000.0), Leg("gold", "up", 3282.8))
    rules = [
        rule(question(comparator=comparator, negated=negated, legs=legs), ASKED_AT)
        for comparator in ("both", "either")
        for negated in (False, True)
    ]
    above, below = "is above 100,000 USD", "is at or below 100,000 USD"
    assert [above in words for words in rules] == [True, False, True, False]
    assert [below in words for words in rules] == [False, True, False, True]
    assert [", or both." in words for words in rules] == [False, True, True, False]
    assert all("Bitcoin" in words and "Gold" in words for words in rules)
