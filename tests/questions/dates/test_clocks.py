"""Times of day are taken out of the tokens."""

from __future__ import annotations

from datetime import UTC, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from service.errors import InvalidQuestion
from service.questions.dates.clocks import Clock, without_clocks, without_zone, zone_after
from service.questions.tokens import read
from tests.questions.asking import NOW

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


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("utc", 0.0),
        ("et", -5.0),
        ("(et)", -5.0),
        ("in tokyo", 9.0),
        ("tokyo time", 9.0),
        ("utc+5:30", 5.5),
        ("gmt-5", -5.0),
        ("heure de paris", 1.0),
    ],
)
def test_a_zone_has_its_offset_of_november(text: str, hours: float):
    zone = zone_after(read(text)[1], 0)
    assert NOW.astimezone(zone.zone).utcoffset() == timedelta(hours=hours)
    assert zone.note == ""


def test_an_abbreviation_of_several_zones_has_a_note():
    assert zone_after(read("ist")[1], 0).note == "IST is understood as the time of Kolkata."


def test_a_time_without_a_zone_has_none():
    assert zone_after(read("on monday")[1], 0) is None


@pytest.mark.parametrize(
    ("text", "complaint"), [("atlantis time", "not known"), ("utc+15", "14 hours"), ("gmt-14:30", "14 hours")]
)
def test_a_zone_that_does_not_exist_is_refused(text: str, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        zone_after(read(text)[1], 0)


def test_a_zone_is_taken_out_wherever_it_stands():
    rest, zone = without_zone(read("btc monday , tokyo time above 12")[1])
    assert [token.text for token in rest] == ["btc", "monday", ",", "above", "12"]
    assert str(zone.zone) == "Asia/Tokyo"
    rest, zone = without_zone(read("btc monday")[1])
    assert ([token.text for token in rest], zone) == (["btc", "monday"], None)
