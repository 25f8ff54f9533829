"""Times of day are taken out of the tokens."""

from __future__ import annotations

from datetime import UTC, time
from zoneinfo import ZoneInfo

import pytest

from service.errors import InvalidQuestion
from service.questions.dates.clocks import Clock, without_clocks
from service.questions.tokens import read

NEW_YORK = ZoneInfo("America/New_York")


def clocks(text: str) -> tuple[list[str], Clock | None]:
    rest, clock = without_clocks(read(text)[1])
    return [token.text for token in rest], clock


@pytest.mark.parametrize(
    ("text", "at", "zone"),
    [
        ("btc at 17:00", time(17), UTC),
        ("btc at 5pm ET", time(17), NEW_YORK),
        ("btc at noon", time(12), UTC),
        ("btc at 12am", time(0), UTC),
        ("btc at 12pm", time(12), UTC),
    ],
)
def test_a_time_of_day_is_removed_with_its_preposition(text, at, zone):
    rest, clock = clocks(text)
    assert (rest, clock.at, clock.zone) == (["btc"], at, zone)


def test_of_two_times_the_later_one_counts():
    rest, clock = clocks("btc 5:20PM-5:25PM ET")
    assert (rest, clock.at, clock.zone) == (["btc"], time(17, 25), NEW_YORK)


def test_a_text_without_a_time_is_unchanged():
    assert clocks("btc by friday above 12") == (["btc", "by", "friday", "above", "12"], None)


def test_a_time_that_does_not_exist_is_refused():
    with pytest.raises(InvalidQuestion, match="no such date"):
        clocks("btc at 25:00")
