"""Special hours: announcements at their New York time, holidays of Wall Street for coins."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np

from service.market.scheduled_events import EVENTS, HOLIDAY, HOURS_AFTER, KINDS, codes_at, special_hours


def _codes(calendar, *instants: str) -> list[int]:
    times = [int(datetime.fromisoformat(instant).replace(tzinfo=UTC).timestamp()) for instant in instants]
    return codes_at(calendar, np.array(times)).tolist()


def test_a_rate_decision_makes_three_hours_special():
    """18 December 2024, 14:00 in New York, is 19:00 UTC in winter; any second of an hour has its code."""
    hours = [f"2024-12-18T{hour}:00" for hour in (18, 19, 20, 21, 22)]
    assert _codes("always", *hours, "2024-12-18T19:59:59") == [0, 1, 2, 3, 0, 1]


def test_a_report_at_half_past_eight_follows_summer_time():
    """The inflation report of 14 August 2024 came at 12:30 UTC, that of 15 January 2025 at 13:30 UTC."""
    first = 1 + KINDS.index("inflation") * HOURS_AFTER
    assert _codes("comex", "2024-08-14T11:30", "2024-08-14T12:30", "2025-01-15T12:30", "2025-01-15T13:30") == [
        *(0, first),
        *(0, first),
    ]


def test_a_holiday_is_special_while_it_is_traded():
    """By coins all day, by metals until the end of a short session; the report of Good Friday 2023 keeps its hours."""
    instants = ("2024-12-24T04:00", "2024-12-24T05:00", "2024-12-26T04:00", "2024-12-26T05:00")
    assert _codes("always", *instants) == [0, HOLIDAY, HOLIDAY, 0]
    assert _codes("comex", *instants) == [0, HOLIDAY, 0, 0]
    assert _codes("comex", "2024-12-24T18:59", "2024-12-24T19:00") == [HOLIDAY, 0]
    jobs = 1 + KINDS.index("jobs") * HOURS_AFTER
    assert _codes("always", "2023-04-07T11:00", "2023-04-07T12:00") == [HOLIDAY, jobs]


def test_hours_before_the_first_and_after_the_last_are_ordinary():
    assert _codes("always", "1970-01-01T00:00", "2199-01-01T00:00") == [0, 0]


def test_the_table_of_events_is_in_order():
    """Each line has a weekday, a time and a known kind; no kind has two events within two weeks."""
    lines = [line.split() for line in EVENTS.read_text(encoding="utf-8").splitlines()]
    assert lines == sorted(lines)
    assert all(date.fromisoformat(day).weekday() < 5 and kind in KINDS for day, _, kind in lines)
    for kind in KINDS:
        days = [date.fromisoformat(day).toordinal() for day, _, event in lines if event == kind]
        assert np.diff(days).min() > 14
    assert (np.diff(special_hours("always").begins) > 0).all()
