"""Questions that can be answered, close to one that was refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.errors import InvalidRequest
from service.questions import Circumstances, understand
from tests.questions.asking import NOW, SPOTS
from tests.questions.test_refusals import refusal_of, refused_cases


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "Will bitcoin hit 150 by year end",
            "Will Bitcoin trade at or above 150,000 USD at any time until 2026-12-31?",
        ),
        ("Will gold hit 4000 euros by Friday?", "Will Gold trade at or above 4,000 USD at any time until 2026-11-27?"),
        ("Why is XRP down?", "Will XRP trade at or below 2.1 USD at any time until 2026-11-28?"),
        ("Will ETH overtake BTC by June?", "Will Ethereum return more than Bitcoin until 2027-06-30?"),
        ("best pizza in Rome", "Will Bitcoin trade at or above 99,000 USD at any time until 2026-11-28?"),
    ],
)
def test_a_suggestion_is_close_to_what_was_asked(text, first):
    """The same asset, level and deadline where they are readable, the level in thousands if only that is near."""
    assert refusal_of(text).suggestions[0] == first


def test_a_suggestion_keeps_the_deadline_of_the_request():
    refusal = refusal_of("Will SOL reach 200?? Will ETH rise?", until=datetime(2026, 12, 24, 23, 59, 59, tzinfo=UTC))
    assert all("2026-12-24" in suggestion for suggestion in refusal.suggestions)


def test_the_example_in_a_detail_is_the_first_suggestion():
    refusal = refusal_of("Who created ethereum?")
    assert refusal.detail.endswith(f"For example: {refusal.suggestions[0]}")
    assert refusal.errors[0].message == refusal.detail
    assert "Ethereum" in refusal.suggestions[0]


@pytest.mark.slow
def test_every_suggestion_is_accepted():
    """Of every refusal in the table; each has at least one and repeats none."""
    for case in refused_cases():
        suggestions = refusal_of(case.question, case.now).suggestions
        assert 1 <= len(set(suggestions)) == len(suggestions) <= 3
        assert all(understand(text, Circumstances(case.now, SPOTS)).canonical for text in suggestions)


def test_no_suggestion_is_made_without_a_price():
    with pytest.raises(InvalidRequest) as refusal:
        understand("Who created ethereum?", Circumstances(NOW, {}))
    assert refusal.value.suggestions == ()
