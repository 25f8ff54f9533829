"""When each asset trades, metals by the COMEX week in New York, and its special hours: announcements and holidays."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.assets import (
    ASSETS,
    HOLIDAYS,
    is_open,
    next_opening,
    open_at,
    open_hours,
    open_hours_between,
    trading_days,
)
from service.market.instants import DAY, HOUR, MINUTE
from service.market.scheduled_events import EVENTS, HOLIDAY, HOURS_AFTER, KINDS, codes_at, special_hours

NEW_YORK = ZoneInfo("America/New_York")
YEARS = st.integers(1_546_300_800, 2_051_222_400)  # 2019 to 2034
HOLIDAY_HOURS = {day: int(hour) for day, hour in map(str.split, HOLIDAYS.read_text().splitlines())}


def second(text: str, zone: ZoneInfo = NEW_YORK) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


def plainly_open(time: int) -> bool:
    """The published trading hours and the days of the table, applied to New York wall time."""
    local = datetime.fromtimestamp(time, NEW_YORK)
    closes = HOLIDAY_HOURS.get(str(local.date()), 24)
    has_evening = 0 < closes < 18 and HOLIDAY_HOURS.get(str(local.date() + timedelta(days=1))) != 0
    if local.hour >= closes and not (has_evening and local.hour >= 18):
        return False
    if local.hour == 17 or local.weekday() == 5:
        return False
    if local.weekday() == 6:
        return local.hour >= 18
    return local.weekday() != 4 or local.hour < 17


def test_the_calendar_is_new_yorks_for_sixteen_years():
    hours = np.arange(second("2019-01-01 00:00", UTC), second("2035-01-01 00:00", UTC), HOUR)
    expected = [plainly_open(hour) for hour in hours.tolist()]
    assert open_at("gold", hours).tolist() == expected


@pytest.mark.parametrize(
    ("day", "hours"),
    [
        ("2026-11-25", {"18:00": True}),  # the evening before Thanksgiving
        ("2026-11-26", {"14:59": True, "15:00": False, "18:00": True}),  # from 18:00 on the session of the day after
        ("2026-11-27", {"13:59": True, "14:00": False}),
        ("2026-11-29", {"17:59": False, "18:00": True}),
        ("2026-12-24", {"13:00": True, "18:00": False}),  # the evening before Christmas Day, which is closed
        ("2026-12-25", {"12:00": False}),
        ("2026-04-01", {"18:00": True}),
        ("2026-04-02", {"17:59": False, "18:00": False}),  # the evening before Good Friday
        ("2026-12-31", {"16:59": True, "18:00": False}),
        ("2027-01-01", {"18:00": False}),
        ("2025-01-09", {"12:00": True}),  # a day of mourning of the stock exchange
    ],
)
def test_metals_close_on_holidays(day: str, hours: dict[str, bool]):
    """Dates of the published holiday calendars of 2025 to 2027."""
    assert {time: is_open("gold", second(f"{day} {time}")) for time in hours} == hours
    assert all(is_open("btc", second(f"{day} {time}")) for time in hours)


def test_the_table_of_holidays_is_complete():
    """In order, for all years from 2010 to 2050: nine or ten holidays, some half days and two evenings."""
    days = [date.fromisoformat(day) for day in HOLIDAY_HOURS]
    assert days == sorted(days)
    by_year = Counter(day.year for day in days)
    assert all(10 <= by_year[year] <= 16 for year in range(2010, 2051))
    assert set(HOLIDAY_HOURS.values()) == {0, 14, 15, 18}


@given(st.lists(YEARS, max_size=20))
def test_open_at_agrees_with_is_open(times):
    assert open_at("gold", np.array(times, dtype=np.int64)).tolist() == [is_open("gold", time) for time in times]


@pytest.mark.parametrize(
    ("since", "until", "hours"),
    [
        ("2026-01-05 00:00", "2026-01-06 00:00", 23),
        ("2026-01-07 16:30", "2026-01-07 18:15", 0.75),
        ("2026-01-09 17:00", "2026-01-11 18:00", 0),
        ("2026-01-04 18:00", "2026-01-11 18:00", 4 * 23 + 23),
        ("2026-03-01 18:00", "2026-03-08 18:00", 5 * 23),
        ("2026-10-25 18:00", "2026-11-01 18:00", 5 * 23),
        ("2026-11-27 05:02", "2026-11-28 05:02", 8 + 58 / 60),  # a short session
        ("2026-01-07 12:00", "2026-01-07 12:00", 0),
        ("2026-01-07 12:00", "2026-01-07 11:00", 0),
    ],
)
def test_trading_hours_by_hand(since, until, hours):
    assert open_hours("gold", second(since), second(until)) == hours


def test_no_bars_are_expected_of_a_short_session():
    """Few sources have them: their absence is no gap, although the market trades."""
    hours = np.arange(second("2026-11-26 00:00"), second("2026-11-29 00:00"), HOUR)
    assert (open_at("gold", hours).sum(), open_at("gold", hours, is_regular=True).sum()) == (15 + 6 + 14, 0)
    assert open_hours("gold", int(hours[0]), int(hours[-1]), is_regular=True) == 0


@pytest.mark.parametrize(
    ("local", "opening"),
    [
        ("2026-11-27 14:00", "2026-11-29 18:00"),
        ("2026-11-26 15:30", "2026-11-26 18:00"),
        ("2026-12-31 18:00", "2027-01-03 18:00"),
        ("2026-11-27 12:00", None),
    ],
)
def test_a_closed_market_names_its_next_opening(local, opening):
    assert next_opening("gold", second(local)) == (opening and second(opening))
    assert next_opening("btc", second(local)) is None


@given(YEARS)
def test_crypto_trades_every_hour(time):
    assert is_open("btc", time)
    assert open_hours("eth", 1000, 1000 + 90 * MINUTE) == 1.5
    assert open_hours("eth", 1000, 900) == 0


@given(YEARS, st.integers(0, 30 * DAY), st.integers(0, 30 * DAY))
def test_trading_hours_add_up(since, first, second_part):
    middle, until = since + first, since + first + second_part
    parts = open_hours("gold", since, middle) + open_hours("gold", middle, until)
    assert open_hours("gold", since, until) == pytest.approx(parts, abs=1e-9)


@pytest.mark.parametrize(
    ("asset", "since", "until", "days"),
    [
        ("btc", "2026-01-05 10:00", "2026-01-07 18:59", 3),
        ("btc", "2026-01-05 10:00", "2026-01-07 18:58", 2),
        ("gold", "2026-01-09 10:00", "2026-01-12 18:59", 3),
    ],
)
def test_trading_days_end_by_the_deadline(asset, since, until, days):
    """Times of New York, where midnight UTC is 19:00; a metal does not trade on a Saturday."""
    assert len(trading_days(asset, second(since), second(until))) == days


@given(st.lists(st.tuples(YEARS, st.integers(0, 30 * DAY)), max_size=3), st.sampled_from(list(ASSETS)))
def test_open_hours_of_many_spans_are_those_of_each(spans, asset):
    """Of any seconds, near and far from each other."""
    since = np.array([start for start, _ in spans], dtype=np.int64)
    until = np.array([start + length for start, length in spans], dtype=np.int64)
    hours = [open_hours(asset, *span) for span in zip(since.tolist(), until.tolist(), strict=True)]
    assert open_hours_between(asset, since, until).tolist() == pytest.approx(hours, abs=1e-6)


INFLATION, JOBS = (1 + KINDS.index(kind) * HOURS_AFTER for kind in ("inflation", "jobs"))


@pytest.mark.parametrize(
    ("calendar", "codes"),
    [
        # A rate decision at 14:00 in New York, 19:00 UTC in winter, makes three hours special.
        ("always", {"2024-12-18T18": 0, "2024-12-18T19": 1, "2024-12-18T19:59:59": 1, "2024-12-18T20": 2}),
        ("always", {"2024-12-18T21": 3, "2024-12-18T22": 0}),
        # A report at half past eight follows summer time.
        ("comex", {"2024-08-14T11:30": 0, "2024-08-14T12:30": INFLATION}),
        ("comex", {"2025-01-15T12:30": 0, "2025-01-15T13:30": INFLATION}),
        # A holiday is special while it is traded: by metals until the end of a short session; a report keeps its hours.
        ("always", {"2024-12-24T04": 0, "2024-12-24T05": HOLIDAY, "2024-12-26T04": HOLIDAY, "2024-12-26T05": 0}),
        ("comex", {"2024-12-24T04": 0, "2024-12-24T05": HOLIDAY, "2024-12-26T04": 0, "2024-12-26T05": 0}),
        ("comex", {"2024-12-24T18:59": HOLIDAY, "2024-12-24T19": 0}),
        ("always", {"2023-04-07T11": HOLIDAY, "2023-04-07T12": JOBS}),
        ("always", {"1970-01-01": 0, "2199-01-01": 0}),  # before the first and after the last
    ],
)
def test_hours_of_announcements_and_holidays_are_special(calendar, codes):
    """Any second of an hour has its code."""
    times = np.array([second(instant, UTC) for instant in codes])
    assert codes_at(calendar, times).tolist() == list(codes.values())


def test_the_table_of_events_is_in_order():
    """Each line has a weekday, a time and a known kind; no kind has two events within two weeks."""
    lines = [line.split() for line in EVENTS.read_text(encoding="utf-8").splitlines()]
    assert lines == sorted(lines)
    assert all(date.fromisoformat(day).weekday() < 5 and kind in KINDS for day, _, kind in lines)
    for kind in KINDS:
        days = [date.fromisoformat(day).toordinal() for day, _, event in lines if event == kind]
        assert np.diff(days).min() > 14
    assert (np.diff(special_hours("always").begins) > 0).all()
