"""Settings of persons, chats and groups: one value for each name. A private chat has the number of its person."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from bot.store.sqlite_file import SqliteFile

# `language` was chosen, `seen` is that of the person's Telegram; `quiet` has two hours, such as 22-7.
NAMES = ("language", "seen", "zone", "theme", "quiet", "hour")
LONGEST_QUIET = timedelta(hours=12)  # more than the choices have, also when the clocks change
DEFAULTS = {"zone": "UTC", "theme": "light", "hour": "8"}


class ChatSettings(SqliteFile):
    """What a chat or its person has chosen."""

    def setting(self, chat_id: int, name: str) -> str | None:
        """The value of a setting, or its default if it has one."""
        with self._lock:
            return read(self._db, chat_id, name)

    def set_setting(self, chat_id: int, name: str, value: str | None) -> None:
        """Set or, with None, delete a setting; raises ValueError for an unknown name or time zone.

        Alerts that wait for the end of quiet hours wait for that of the new ones.
        """
        if name not in NAMES or (name == "zone" and value not in timezones()):
            raise ValueError(f"no such setting: {name} {value}")
        if value == self.setting(chat_id, name) and value is not None:
            return
        with self._writing() as db:
            write(db, chat_id, name, value)
            due = quiet_until(db, chat_id, self._seconds())
            db.execute("UPDATE alert SET due = ? WHERE user_id = ? AND due > 0", (due, chat_id))

    def language(self, *chat_ids: int) -> str | None:
        """The language of the first of these chats that has one; None if there is none."""
        languages = (self.setting(chat, "language") or self.setting(chat, "seen") for chat in chat_ids)
        return next(filter(None, languages), None)

    def zone(self, chat_id: int) -> str:
        """The time zone of a person; UTC until they choose one, and for groups."""
        return self.setting(chat_id, "zone") or "UTC"


def read(db: sqlite3.Connection, chat_id: int, name: str) -> str | None:
    row = db.execute("SELECT value FROM setting WHERE chat_id = ? AND name = ?", (chat_id, name)).fetchone()
    return row["value"] if row else DEFAULTS.get(name)


def write(db: sqlite3.Connection, chat_id: int, name: str, value: str | None) -> None:
    db.execute("DELETE FROM setting WHERE chat_id = ? AND name = ?", (chat_id, name))
    if value is not None:
        db.execute("INSERT INTO setting VALUES (?, ?, ?)", (chat_id, name, value))


def quiet_until(db: sqlite3.Connection, user_id: int, now: float) -> float:
    """When the quiet hours of `now` end for a person, in unix seconds; 0 if it is none of them."""
    hours = read(db, user_id, "quiet")
    if hours is None:
        return 0
    start, end = map(int, hours.split("-"))
    return end_of_quiet(start, end, read(db, user_id, "zone") or "UTC", now)


def end_of_quiet(start: int, end: int, timezone: str, now: float) -> float:
    """When quiet hours that begin and end at these hours and contain `now` end, in unix seconds; 0 if they do not."""
    instant = datetime.fromtimestamp(now, UTC)
    if last_due(start, timezone, instant) <= last_due(end, timezone, instant):
        return 0
    return last_due(end, timezone, instant + LONGEST_QUIET).timestamp()


def last_due(hour: int, timezone: str, now: datetime) -> datetime:
    """The last instant, in UTC and not after `now`, at which the clocks in `timezone` reached `hour`.

    Of an hour that occurs twice in a day, the first counts. For an hour that the clocks skip, the instant counts at
    which it would have begun without the change: the clocks then show an hour more.
    """
    place = ZoneInfo(timezone)
    today = now.astimezone(place).date()
    days = (today, today - timedelta(days=1), today - timedelta(days=2))
    instants = (datetime.combine(day, time(hour), place).astimezone(UTC) for day in days)
    return next(instant for instant in instants if instant <= now)


@cache
def timezones() -> frozenset[str]:
    """The names of the IANA time zone database, such as Europe/Zurich."""
    return frozenset(available_timezones())
