from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.jobs.job import Daily, Every, Monthly

SCHEDULES = (Every(60), Every(300, 10), Every(3600), Daily(), Daily(3600), Monthly(), Monthly(7200))


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@given(schedule=st.sampled_from(SCHEDULES), now=st.integers(10**9, 3 * 10**9), later=st.integers(0, 40 * 86400))
def test_a_slot_is_never_in_the_future_and_never_goes_back(schedule, now, later):
    slot = schedule.slot_at(now)
    assert slot <= now
    assert schedule.slot_at(slot) == slot
    assert schedule.slot_at(slot - 1) < slot
    assert schedule.slot_at(now + later) >= slot


@pytest.mark.parametrize(
    ("schedule", "now", "slot"),
    [
        (Every(300), "2025-01-01 00:04:59", "2025-01-01 00:00:00"),
        (Every(300), "2025-01-01 00:05:00", "2025-01-01 00:05:00"),
        (Every(300, 10), "2025-01-01 00:05:09", "2025-01-01 00:00:10"),
        (Daily(), "2025-01-01 00:00:00", "2025-01-01 00:00:00"),
        (Daily(3600), "2025-01-02 00:59:59", "2025-01-01 01:00:00"),
        (Monthly(), "2024-02-29 23:59:59", "2024-02-01 00:00:00"),
        (Monthly(), "2024-03-01 00:00:00", "2024-03-01 00:00:00"),
        (Monthly(), "2025-12-31 23:59:59", "2025-12-01 00:00:00"),
        (Monthly(7200), "2026-01-01 01:59:59", "2025-12-01 02:00:00"),
        (Monthly(7200), "2026-01-01 02:00:00", "2026-01-01 02:00:00"),
    ],
)
def test_the_latest_slot(schedule, now, slot):
    assert schedule.slot_at(at(now)) == at(slot)


@pytest.mark.parametrize(("days_of", "slots"), [(range(28), 1), (range(366), 12), (range(365 * 4 + 1), 48)])
def test_a_month_has_one_slot_however_long_it_is(days_of, slots):
    first = at("2024-01-01 12:00:00")
    assert len({Monthly().slot_at(first + 86400 * day) for day in days_of}) == slots


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize("day", ["2025-03-09", "2025-03-30", "2025-11-02", "2025-10-26", "2025-04-06"])
def test_daylight_saving_moves_no_slot(zone, day, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        midnight = at(day)
        hours = {Every(3600).slot_at(midnight + 60 * minute) for minute in range(1440)}
        days = {Daily().slot_at(midnight + 60 * minute) for minute in range(1440)}
        months = {Monthly().slot_at(midnight + 60 * minute) for minute in range(1440)}
    finally:
        monkeypatch.undo()
        time.tzset()
    assert sorted(hours) == [midnight + 3600 * hour for hour in range(24)]
    assert days == {midnight}
    assert months == {at(day[:8] + "01")}
