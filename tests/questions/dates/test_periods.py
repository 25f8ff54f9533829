"""Ranges of dates: months, units of the calendar, durations, seasons and holidays."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from service.questions.dates import periods


def _days(dates: periods.DateRange) -> tuple[date, date]:
    return dates.begin.date(), dates.end.date()


def test_months_beyond_december_belong_to_the_next_year():
    assert _days(periods.season("winter", 2026)) == (date(2026, 12, 1), date(2027, 2, 28))


@pytest.mark.parametrize(
    ("name", "ahead", "first", "last"),
    [
        ("day", 1, date(2026, 11, 22), date(2026, 11, 22)),
        ("week", 0, date(2026, 11, 16), date(2026, 11, 22)),
        ("month", 1, date(2026, 12, 1), date(2026, 12, 31)),
        ("quarter", 1, date(2027, 1, 1), date(2027, 3, 31)),
        ("year", -1, date(2025, 1, 1), date(2025, 12, 31)),
        ("decade", 0, date(2020, 1, 1), date(2029, 12, 31)),
    ],
)
def test_a_unit_is_the_one_of_the_calendar(name, ahead, first, last):
    assert _days(periods.unit(name, date(2026, 11, 21), ahead)) == (first, last)


def test_a_month_later_is_the_same_day_or_the_last_of_its_month():
    now = datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert periods.after(now, 1, "month").end == datetime(2026, 2, 28, 10, tzinfo=UTC)
    assert periods.after(now, 0.5, "month").end == datetime(2026, 2, 15, 10, tzinfo=UTC)


def test_an_absurd_duration_stays_in_the_calendar():
    now = datetime(2090, 1, 1, tzinfo=UTC)
    assert periods.after(now, 1e9, "hour").end.year < 2120
    assert periods.after(now, -1e9, "year").end.year > 2060
