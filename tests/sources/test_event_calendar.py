"""The operator's calendar: events in order of time, and one sentence about a file that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.config import SettingsError
from service.forecasting.voters.context import ScheduledEvent
from service.sources.event_calendar import read_events

DECEMBER = 1_796_842_800  # 2026-12-09T19:00:00Z


@pytest.fixture
def calendar(tmp_path: Path):
    """A file with these lines below its first one."""

    def write(*lines: str, first: str = "time,event") -> Path:
        path = tmp_path / "events.csv"
        path.write_text("\n".join([first, *lines]), encoding="utf-8")
        return path

    return write


def test_events_come_in_order_of_time(calendar):
    """A time without an offset is UTC; an event may hold a comma in quotes."""
    path = calendar("2026-12-10, CPI", "", '2026-12-09T20:00:00+01:00,"Fed: decision, projections"')
    assert read_events(path) == (
        ScheduledEvent(DECEMBER, "Fed: decision, projections"),
        ScheduledEvent(DECEMBER + 5 * 3600, "CPI"),
    )


def test_without_a_file_nothing_is_scheduled():
    assert read_events(None) == ()


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (("soon,CPI",), "line 2 is not an ISO 8601 time and an event"),
        (("2026-12-10,CPI", "2026-12-11"), "line 3 is not an ISO 8601 time and an event"),
        (("2026-12-10, ",), "line 2 names no event"),
    ],
)
def test_a_line_at_fault_is_named(lines, complaint, calendar):
    with pytest.raises(SettingsError, match=f"EVENTS_FILE: {complaint}"):
        read_events(calendar(*lines))


def test_a_file_of_another_kind_is_refused(calendar, tmp_path):
    with pytest.raises(SettingsError, match=r"the first line of .* must be time,event"):
        read_events(calendar("2026-12-10,CPI", first="date;title"))
    with pytest.raises(SettingsError, match="cannot be read"):
        read_events(tmp_path / "missing.csv")
