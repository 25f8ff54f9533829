"""The time zone beside a time of day."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.errors import InvalidQuestion
from service.questions.dates.zones import without_zone, zone_after
from service.questions.tokens import read
from tests.questions.asking import NOW


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
