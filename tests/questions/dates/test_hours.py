"""Hours as people write them."""

from __future__ import annotations

from datetime import time

import pytest

from service.errors import InvalidQuestion
from service.questions.dates.hours import Hour, hour_at
from service.questions.tokens import read


def hour(text: str) -> Hour | None:
    """The first hour in a text."""
    tokens = read(text)[1]
    return next((hour for place in range(len(tokens)) if (hour := hour_at(tokens, place))), None)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("btc at 17:00", time(17)),
        ("btc at 17:00:05", time(17, 0, 5)),
        ("btc at 5pm", time(17)),
        ("btc at 5.30 pm", time(17, 30)),
        ("btc at 12am", time(0)),
        ("btc at 12pm", time(12)),
        ("btc at noon", time(12)),
        ("btc at 24:00", time(23, 59, 59)),
        ("btc at 23:59", time(23, 59, 59)),
        ("btc on 1600 utc", time(16)),
        ("btc at 8 in the evening", time(20)),
        ("btc by 9 et", time(9)),
        ("bitcoin vendredi 17h30", time(17, 30)),
        ("wird bitcoin um 18 Uhr 30 steigen", time(18, 30)),
    ],
)
def test_an_hour_is_read_as_it_is_written(text: str, at: time):
    assert hour(text).time("") == at


@pytest.mark.parametrize("text", ["btc in 17h", "btc above 17", "btc in 2h30m", "btc at 25 dollars", "btc 1600"])
def test_other_numbers_are_no_hour(text: str):
    assert hour(text) is None


@pytest.mark.parametrize("text", ["btc at 25:00", "btc at 12:60", "btc at 24:30"])
def test_an_hour_that_does_not_exist_is_refused(text: str):
    with pytest.raises(InvalidQuestion, match="no such date"):
        hour(text)


@pytest.mark.parametrize(
    ("number", "part", "at"),
    [
        (8, "night", time(20)),
        (5, "night", time(5)),
        (12, "night", time(23, 59, 59)),
        (8, "evening", time(20)),
        (20, "evening", time(20)),
        (8, "morning", time(8)),
        (12, "morning", time(0)),
        (8, "", time(8)),
    ],
)
def test_the_part_of_the_day_decides_the_half(number: int, part: str, at: time):
    """ "Sunday night at 8"."""
    assert Hour(number, 0, 1).time(part) == at


def test_an_hour_of_its_own_half_keeps_it():
    assert Hour(8, 0, 1, half="am").time("evening") == time(8)
