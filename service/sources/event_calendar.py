"""The operator's calendar of scheduled events: a CSV file with the columns `time` (ISO 8601) and `event`."""

from __future__ import annotations

import csv
from pathlib import Path

from service.config import SettingsError
from service.forecasting.voters.context import ScheduledEvent
from service.market.instants import unix

COLUMNS = ["time", "event"]
MOST_BYTES = 1_000_000


def read_events(path: Path | None) -> tuple[ScheduledEvent, ...]:
    """The events of a file in order of time, none without a file; raises SettingsError that names the line at fault."""
    if path is None:
        return ()
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SettingsError(f"EVENTS_FILE: {path} has more than {MOST_BYTES:,} bytes")
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(f"EVENTS_FILE: {path} cannot be read ({type(fault).__name__})") from None
    rows = list(csv.reader(lines))
    if not rows or [name.strip() for name in rows[0]] != COLUMNS:
        raise SettingsError(f"EVENTS_FILE: the first line of {path} must be {','.join(COLUMNS)}")
    events = (_event(row, number) for number, row in enumerate(rows[1:], 2) if row)
    return tuple(sorted(events, key=lambda event: (event.at, event.text)))


def _event(row: list[str], number: int) -> ScheduledEvent:
    """The event of a line; a time without an offset is UTC."""
    try:
        time, text = (cell.strip() for cell in row)
        at = unix(time)
    except (ValueError, OverflowError):
        raise SettingsError(f"EVENTS_FILE: line {number} is not an ISO 8601 time and an event") from None
    if not text:
        raise SettingsError(f"EVENTS_FILE: line {number} names no event")
    return ScheduledEvent(at, text)
