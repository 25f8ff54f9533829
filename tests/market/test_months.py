"""Calendar months."""

from __future__ import annotations

from datetime import UTC, datetime

from service.market import months
from service.market.instants import DAY, iso
from service.market.months import month_starts


def at(*date: int) -> int:
    """The unix second at which a day or month begins."""
    return int(datetime(*(*date, 1)[:3], tzinfo=UTC).timestamp())


def test_months_begin_on_their_first_day_in_utc():
    assert month_starts(at(2024, 11, 2), at(2025, 2, 15)) == [at(2024, 12), at(2025, 1), at(2025, 2)]
    assert month_starts(at(2025, 3), at(2025, 3, 2)) == [at(2025, 3)]


def test_a_month_begins_and_ends_at_midnight_utc():
    assert iso(months.begins("2024-02")) == "2024-02-01T00:00:00Z"
    assert iso(months.ends("2024-02")) == "2024-03-01T00:00:00Z"
    assert iso(months.ends("2024-12")) == "2025-01-01T00:00:00Z"
    assert (months.month_of(months.ends("2024-12")), months.month_before("2025-01")) == ("2025-01", "2024-12")


def test_months_with_a_whole_day_are_examined_when_over():
    since, until = months.begins("2025-01") + 10 * DAY, months.begins("2025-03")
    assert months.closed_months(since, until) == ["2025-01", "2025-02"]
    assert months.closed_months(since, until - 1) == ["2025-01"]
    assert months.closed_months(months.begins("2025-02") - 5, until) == ["2025-02"]
    assert months.closed_months(since, since) == []
