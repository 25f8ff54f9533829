"""A count of days is taken out of the question before its dates are read."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.day_counts import DayCount, find_days, without_any_day
from service.questions.tokens import read


def counted(text: str) -> tuple[DayCount | None, str]:
    """The count and the text without it."""
    count, rest = find_days(read(text)[1])
    return count, " ".join(token.text for token in rest)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("will btc close above 60k on at least 3 days", DayCount(3)),
        ("will btc close above 60k on more than 3 days", DayCount(4)),
        ("will btc close above 60k on at most 3 days", DayCount(4, negated=True)),
        ("will btc close above 60k on fewer than 3 days", DayCount(3, negated=True)),
        ("will btc close above 60k 3 days in a row", DayCount(3, in_a_row=True)),
        ("will btc close above 60k every day", DayCount(None)),
        ("will btc close above 60k on most days", DayCount(None, share="most")),
    ],
)
def test_a_number_of_days_is_counted(text: str, count: DayCount):
    assert counted(text) == (count, "will btc close above 60 k")


def test_a_share_of_the_next_days_keeps_the_deadline():
    assert counted("will btc rise on 4 out of the next 7 days") == (DayCount(4), "will btc rise in 7 days")


@pytest.mark.parametrize("text", ["will btc rise in 3 days", "will btc stay above 60 k for at least 5 days"])
def test_a_length_of_time_is_no_count(text: str):
    assert counted(text) == (None, text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("will btc rise on exactly 3 days", "exact number"),
        ("will btc rise on at least 61 days", "from 1 to 60"),
        ("will btc rise on at least 2.5 days", "whole"),
        ("will btc rise on at least 1,000 days", "from 1 to 60"),
        ("will btc have 3 green weeks", "Only days can be counted"),
        ("will btc rise 3 weeks in a row", "Only days in a row"),
        ("will btc touch 60k twice", "How often"),
    ],
)
def test_other_counts_are_refused(text: str, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        counted(text)


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
