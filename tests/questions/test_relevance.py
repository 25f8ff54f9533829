"""Which numbers are prices: not coins, probabilities or numbers without a relation."""

from __future__ import annotations

import pytest

from tests.questions.asking import clause


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("will btc reach 100k", [100_000]),
        ("is there a 50% chance that btc reaches 100k", [100_000]),
        ("will 1 btc be worth 100k", [100_000]),
        ("will btc bounce from 90k to 100k", [100_000]),
        ("btc 95000", [95_000]),
        ("btc version 17", []),
        ("will btc hit 150", [150]),
    ],
)
def test_the_amounts_of_a_clause_are_its_prices(text, levels):
    assert [amount.value(94_000) for amount in clause(text).amounts] == levels


def test_a_number_near_the_price_without_a_relation_is_stray():
    assert clause("btc version forecast expert opinion news 95000").has_stray
    assert not clause("btc version 17").has_stray
