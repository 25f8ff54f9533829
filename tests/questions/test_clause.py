"""Directions and negations of a clause."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from tests.questions.asking import clause


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("will btc rise", False),
        ("will btc not rise", True),
        ("will btc fail to rise", True),
        ("will btc not fail to rise", False),
        ("il bitcoin non salira mai sopra nessun livello", True),
        ("nein wird bitcoin nicht steigen", True),
    ],
)
def test_two_negations_cancel_only_where_the_language_says_so(text, negated):
    assert clause(text).negated == negated


def test_a_negation_with_the_russian_particle_is_ambiguous():
    with pytest.raises(InvalidQuestion, match="negation"):
        clause("не вырастет ли биткоин")


@pytest.mark.parametrize(
    ("text", "direction"),
    [("will btc rise", 1), ("will btc recover from the crash", 1), ("btc fell, will it rise", 1), ("btc bearish", -1)],
)
def test_the_direction_ignores_the_past_and_the_origin(text, direction):
    assert clause(text).direction_at(None) == direction


def test_of_two_directions_the_last_before_the_amount_counts():
    both = clause("will btc fall or rise to 100k")
    assert both.has_both_directions
    assert both.direction_at(both.amounts[0]) == 1
    assert both.direction_at(None) == 0


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
