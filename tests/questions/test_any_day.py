"""Questions that any one day decides are read as questions about each day."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.any_day import without_any_day
from service.questions.tokens import read


def rest(text: str) -> str | None:
    """The text without the words for any day; None for other questions."""
    tokens = without_any_day(read(text)[1])
    return tokens and " ".join(token.text for token in tokens)


@pytest.mark.parametrize(
    "text",
    [
        "btc never closes below 90k",
        "btc closes above 95k at least once",
        "a btc close above 95k before december",
        "any btc close above 95k this month",
        "a daily close below 92k before december",
        "btc a green day before friday",
    ],
)
def test_one_day_of_several_is_enough(text):
    assert rest(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "btc closes above 95k on friday",
        "btc close above 95k by friday",
        "a close above 95k on friday",
        "btc green on friday",
    ],
)
def test_a_close_at_the_deadline_is_another_question(text):
    assert rest(text) is None


def test_a_daily_close_is_a_close():
    """It names no deadline once any day is enough."""
    assert rest("a daily close below 92k before december") == "a daily close below 92 k before december"
    tokens = without_any_day(read("a daily close below 92k before december")[1])
    assert tokens is not None
    assert [token.kind for token in tokens][1] == "close"


def test_the_close_of_an_asset_is_no_end_of_a_period():
    """Spanish "cierre de" is also the end of a month."""
    tokens = without_any_day(read("un cierre de btc por encima de 95k antes de diciembre")[1])
    assert tokens is not None
    assert "close" in [token.kind for token in tokens]


def test_numbers_of_coloured_days_are_not_compared():
    with pytest.raises(InvalidQuestion, match="not compared"):
        rest("btc more green days than red this week")
