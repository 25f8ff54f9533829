"""Ranges of dates: months, units of the calendar, durations, seasons and holidays."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from service.questions.dates import periods
from service.questions.dates.periods import holiday
from service.questions.vocabulary import LANGUAGES


def test_a_month_later_is_the_same_day_or_the_last_of_its_month():
    now = datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert periods.after(now, 1, "month").end == datetime(2026, 2, 28, 10, tzinfo=UTC)
    assert periods.after(now, 0.5, "month").end == datetime(2026, 2, 15, 10, tzinfo=UTC)


def test_an_absurd_duration_stays_in_the_calendar():
    now = datetime(2050, 1, 1, tzinfo=UTC)
    assert periods.after(now, 1e9, "hour").end.year < 2080
    assert periods.after(now, -1e9, "year").end.year > 2020


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("easter", [date(2024, 3, 31), date(2025, 4, 20), date(2026, 4, 5), date(2027, 3, 28)]),
        ("orthodox easter", [date(2024, 5, 5), date(2025, 4, 20), date(2026, 4, 12), date(2027, 5, 2)]),
        ("good friday", [date(2024, 3, 29)]),
        ("pentecost", [date(2024, 5, 19)]),
        ("thanksgiving", [date(2024, 11, 28), date(2025, 11, 27), date(2026, 11, 26)]),
        ("black friday", [date(2024, 11, 29), date(2025, 11, 28)]),
        ("cyber monday", [date(2024, 12, 2), date(2025, 12, 1)]),
        ("memorial day", [date(2024, 5, 27), date(2025, 5, 26)]),
        ("labor day", [date(2024, 9, 2), date(2025, 9, 1)]),
        ("chinese new year", [date(2024, 2, 10), date(2025, 1, 29), date(2026, 2, 17), date(2027, 2, 6)]),
        ("mid-autumn", [date(2024, 9, 17), date(2025, 10, 6)]),
        ("dragon boat", [date(1990, 5, 28), date(2023, 6, 22), date(2025, 5, 31)]),
        ("christmas eve", [date(2024, 12, 24)]),
    ],
)
def test_a_holiday_falls_on_the_day_of_the_almanac(name, days):
    assert [holiday(name, day.year) for day in days] == days


def test_every_holiday_of_the_vocabulary_has_a_date():
    kinds = [kind for language in LANGUAGES for keys in language.words for kind in keys.split(" + ")]
    holidays = {kind.partition(":")[2] for kind in kinds if kind.startswith("holiday:")}
    assert all(holiday(name, 2026) for name in holidays)


def test_a_year_beyond_the_chinese_calendar_has_a_date():
    assert holiday("chinese new year", 2100).year == 2099
