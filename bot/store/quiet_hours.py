"""The hours of the day in which a person gets no alerts; alerts of these hours are sent at their end."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from bot.store.sqlite_file import SqliteFile


class Hours(NamedTuple):
    """From the hour `begin` to the hour `end`, 0 to 23, which may be on the next day, in a time zone."""

    begin: int
    end: int
    timezone: str


class QuietHours(SqliteFile):
    """The quiet hours of each person who has some."""

    def quiet_hours(self, user_id: int) -> Hours | None:
        row = self._row("SELECT begin, end, timezone FROM quiet_hours WHERE user_id = ?", user_id)
        return Hours(*row) if row else None

    def set_quiet_hours(self, user_id: int, hours: Hours | None) -> None:
        """Set or, with None, delete the quiet hours; alerts that wait for the end of the old ones wait for the new."""
        now = self._seconds()
        with self._writing() as db:
            db.execute("DELETE FROM quiet_hours WHERE user_id = ?", (user_id,))
            if hours is not None:
                db.execute("INSERT INTO quiet_hours VALUES (?, ?, ?, ?)", (user_id, *hours))
            due = quiet_until(db, user_id, now)
            db.execute("UPDATE alert SET due = ? WHERE user_id = ? AND due > 0", (due, user_id))


def quiet_until(db: sqlite3.Connection, user_id: int, now: float) -> float:
    """When the quiet hours of `now` end for a person, in unix seconds; 0 if it is none of them."""
    row = db.execute("SELECT begin, end, timezone FROM quiet_hours WHERE user_id = ?", (user_id,)).fetchone()
    return end_of_quiet(Hours(*row), now) if row else 0


def end_of_quiet(hours: Hours, now: float) -> float:
    """When the quiet hours that `now` lies in end, in unix seconds; 0 if it lies in none."""
    zone = ZoneInfo(hours.timezone)
    instant = datetime.fromtimestamp(now, UTC)
    today = instant.astimezone(zone).date()
    length = timedelta(days=hours.end <= hours.begin)
    for day in (today - timedelta(days=1), today):
        begin = datetime.combine(day, time(hours.begin), zone).astimezone(UTC)
        end = datetime.combine(day + length, time(hours.end), zone).astimezone(UTC)
        if begin <= instant < end:
            return end.timestamp()
    return 0
