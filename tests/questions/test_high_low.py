"""A high or low as a level's moment, as all moments, and as one end of a range."""

from __future__ import annotations

import pytest

from service.questions.high_low import with_paths
from service.questions.numerals import spelled
from service.questions.tokens import read


def kinds_of(text: str) -> list[str]:
    return [token.kind for token in with_paths(spelled(read(text)[1]))]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("btc high this week above 100k", "ever"),
        ("btc low this week above 90k", "stay"),
        ("btc low below 90k", "ever"),
        ("btc high below 100k", "stay"),
    ],
)
def test_a_level_follows_a_high_or_low(text: str, kind: str):
    assert kinds_of(text)[1] == kind


@pytest.mark.parametrize("text", ["btc above last week's high", "btc high volatility above average", "btc low fees"])
def test_a_high_without_a_level_is_left(text: str):
    assert not {"ever", "stay"} & set(kinds_of(text))


def test_a_high_and_a_low_with_a_percentage_are_a_range():
    assert "width" in kinds_of("btc more than 8% between the high and the low")
    assert "width" not in kinds_of("btc between the high and the low of last week")
    assert "width" not in kinds_of("btc 8% above the high and the october high")
