"""Settings of persons, chats and groups: switches of events, the digest, the language, and the theme of charts."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any, Literal, NamedTuple
from zoneinfo import available_timezones

from bot.store.sqlite_file import SqliteFile

State = Literal["on", "silent", "off"]

STATES = ("on", "silent", "off")
# What a person follows is on by default; every other event must be switched on.
DEFAULTS: dict[str, State] = {"followed": "on", "flip": "off", "digest": "off"}
EVENTS = tuple(DEFAULTS)
DEFAULT_DIGEST = {"hour": 8, "timezone": "UTC"}
CHART_THEMES = ("light", "dark")
DARK_CHARTS = "dark_charts"


class Subscriber(NamedTuple):
    """A person subscribed to an event: the chat, whether alerts are silent, and since which unix second."""

    user_id: int
    chat_id: int
    silent: bool
    since: float


class DigestSubscriber(NamedTuple):
    """A subscriber of the digest, with its hour (0 to 23) and time zone."""

    subscriber: Subscriber
    hour: int
    timezone: str


class Switches(SqliteFile):
    """One switch for each person and event; alerts start with events after it was switched on."""

    def switches(self, user_id: int) -> dict[str, State]:
        """The state of every event."""
        rows = self._rows("SELECT event, state FROM switch WHERE user_id = ?", user_id)
        return DEFAULTS | {row["event"]: row["state"] for row in rows if row["event"] in EVENTS}

    def set_switch(self, user_id: int, chat_id: int, event: str, state: str) -> None:
        """Set the state of an event; raises ValueError for an unknown event or state.

        A digest without an hour gets 08:00 UTC. Switching an event off also deletes its queued alerts.
        """
        if event not in EVENTS or state not in STATES:
            raise ValueError(f"no such switch: {event} {state}")
        with self._writing() as db:
            set_state(db, user_id, chat_id, event, state, self._seconds())

    def stop_alerts(self, user_id: int, chat_id: int) -> None:
        """Switch every event off and delete the person's queued alerts, all or nothing."""
        with self._writing() as db:
            for event in EVENTS:
                set_state(db, user_id, chat_id, event, "off", self._seconds())

    def digest(self, user_id: int) -> dict[str, Any] | None:
        """`hour` (0 to 23) and `timezone` of a person's digest; None if it was never switched on."""
        row = self._row("SELECT hour, timezone FROM switch WHERE user_id = ? AND event = 'digest'", user_id)
        return dict(row) if row else None

    def set_digest(self, user_id: int, chat_id: int, hour: int | None, timezone: str) -> None:
        """Send the digest daily at `hour` (0 to 23) in `timezone`; None switches it off, and silent stays silent.

        If the hour has passed today, the first digest is due tomorrow. Raises ValueError for an invalid hour or an
        unknown time zone.
        """
        if hour not in {None, *range(24)} or not is_timezone(timezone):
            raise ValueError(f"no such hour of a day: {hour} {timezone}")
        with self._writing() as db:
            if hour is None:
                set_state(db, user_id, chat_id, "digest", "off", self._seconds())
                return
            is_silent = db.execute(
                "SELECT 1 FROM switch WHERE user_id = ? AND event = 'digest' AND state = 'silent'", (user_id,)
            ).fetchone()
            set_state(db, user_id, chat_id, "digest", "silent" if is_silent else "on", self._seconds())
            db.execute(
                "UPDATE switch SET hour = ?, timezone = ?, since = ? WHERE user_id = ? AND event = 'digest'",
                (hour, timezone, self._seconds(), user_id),
            )

    def subscribers(self, event: str) -> list[Subscriber]:
        """The people for whom an event is on or silent."""
        return [_subscriber(row) for row in self._subscriptions(event)]

    def digest_subscribers(self) -> list[DigestSubscriber]:
        """The subscribers of the digest, each with its hour and time zone."""
        rows = self._subscriptions("digest")
        return [DigestSubscriber(_subscriber(row), row["hour"], row["timezone"]) for row in rows]

    def states(self, event: str) -> dict[int, State]:
        """The state of an event for each person who ever changed it."""
        return {row["user_id"]: row["state"] for row in self._rows("SELECT * FROM switch WHERE event = ?", event)}

    def _subscriptions(self, event: str) -> list[sqlite3.Row]:
        return self._rows("SELECT * FROM switch WHERE event = ? AND state != 'off' ORDER BY user_id", event)

    def switch_off(self, chat_id: int) -> None:
        """Switch off all alerts to a chat that cannot be reached: the bot is blocked, or the chat is deleted."""
        with self._writing() as db:
            # People who never changed this switch have no row for it yet.
            db.execute(
                "INSERT OR IGNORE INTO switch (user_id, event, chat_id, state, since)"
                " SELECT user_id, 'followed', chat_id, 'on', ? FROM follow WHERE chat_id = ?",
                (self._seconds(), chat_id),
            )
            db.execute(
                "UPDATE switch SET state = 'off', unreachable = 1 WHERE chat_id = ? AND state != 'off'", (chat_id,)
            )
            db.execute("DELETE FROM alert WHERE chat_id = ?", (chat_id,))


def _subscriber(row: sqlite3.Row) -> Subscriber:
    return Subscriber(row["user_id"], row["chat_id"], row["state"] == "silent", row["since"])


def set_state(db: sqlite3.Connection, user_id: int, chat_id: int, event: str, state: str, now: float) -> None:
    hour, timezone = DEFAULT_DIGEST.values() if event == "digest" else (None, None)
    # On and silent are one subscription; `since` changes only when it was off.
    db.execute(
        "INSERT INTO switch (user_id, event, chat_id, state, since, hour, timezone) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET chat_id = excluded.chat_id, state = excluded.state, unreachable = 0,"
        " since = CASE switch.state WHEN 'off' THEN excluded.since ELSE switch.since END",
        (user_id, event, chat_id, state, now, hour, timezone),
    )
    if state == "off":
        db.execute("DELETE FROM alert WHERE user_id = ? AND event = ?", (user_id, event))


def is_timezone(name: str) -> bool:
    """Whether this is a name in the IANA time zone database, such as Europe/Zurich."""
    return name in _timezones()


@cache
def _timezones() -> frozenset[str]:
    return frozenset(available_timezones())


class GroupSettings(NamedTuple):
    """Whether the group gets the weekly digest, and whether only commands are answered there."""

    weekly: bool
    commands_only: bool


class Groups(Switches):
    """Settings by the number of the group; both are off at first."""

    def group_settings(self, chat_id: int) -> GroupSettings:
        rows = self._rows("SELECT event FROM switch WHERE user_id = ? AND state = 'on'", chat_id)
        on = {row["event"] for row in rows}
        return GroupSettings(*(name in on for name in GroupSettings._fields))

    def set_group_setting(self, chat_id: int, name: str, *, is_on: bool) -> None:
        """Raises ValueError for an unknown setting. A digest that is switched off is not sent from the queue either."""
        if name not in GroupSettings._fields:
            raise ValueError(f"no such setting: {name}")
        with self._writing() as db:
            set_state(db, chat_id, chat_id, name, "on" if is_on else "off", self._seconds())

    def move_group(self, chat_id: int, new_id: int) -> None:
        """Keep the settings, the language and the queue of a group that became a supergroup."""
        with self._writing() as db:
            for table in ("switch", "sent"):
                db.execute(f"UPDATE OR REPLACE {table} SET user_id = ? WHERE user_id = ?", (new_id, chat_id))  # noqa: S608
            for table in ("switch", "alert", "chat_language"):
                db.execute(f"UPDATE OR REPLACE {table} SET chat_id = ? WHERE chat_id = ?", (new_id, chat_id))  # noqa: S608


class ChatLanguages(SqliteFile):
    """Language codes and time zones by chat; a private chat has the number of its person."""

    def language(self, *chat_ids: int) -> str | None:
        """The language of the first of these chats that has one; None if there is none."""
        rows = (self._row("SELECT chosen, seen FROM chat_language WHERE chat_id = ?", chat) for chat in chat_ids)
        return next((row["chosen"] or row["seen"] for row in rows if row), None)

    def zone(self, chat_id: int) -> str:
        """The time zone of a person; UTC until they choose one, and for groups."""
        row = self._row("SELECT zone FROM chat_language WHERE chat_id = ?", chat_id)
        return row["zone"] if row and row["zone"] else "UTC"

    def set_zone(self, user_id: int, zone: str) -> None:
        """Set the time zone of a person, also of their digest and their quiet hours; ValueError if it is unknown."""
        if not is_timezone(zone):
            raise ValueError(f"no such time zone: {zone}")
        with self._writing() as db:
            db.execute(
                "INSERT INTO chat_language (chat_id, zone) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET zone = excluded.zone",
                (user_id, zone),
            )
            db.execute("UPDATE switch SET timezone = ? WHERE user_id = ? AND event = 'digest'", (zone, user_id))
            db.execute("UPDATE quiet_hours SET timezone = ? WHERE user_id = ?", (zone, user_id))

    def note_language(self, chat_id: int, language: str) -> None:
        """Remember the language that the person's Telegram is set to."""
        row = self._row("SELECT seen FROM chat_language WHERE chat_id = ?", chat_id)
        if row is None or row["seen"] != language:
            self._write(
                "INSERT INTO chat_language (chat_id, seen) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET seen = excluded.seen",
                chat_id,
                language,
            )

    def choose_language(self, chat_id: int, chosen: str | None) -> None:
        """Set the language of a chat; None follows Telegram again."""
        self._write(
            "INSERT INTO chat_language (chat_id, chosen) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET chosen = excluded.chosen",
            chat_id,
            chosen,
        )


class ChartThemes(SqliteFile):
    """The theme that a person chose, as a switch without alerts: on is dark.

    One that was switched off because the chat was unreachable was on.
    """

    def chart_theme(self, user_id: int) -> str:
        """One of CHART_THEMES."""
        row = self._row("SELECT state, unreachable FROM switch WHERE user_id = ? AND event = ?", user_id, DARK_CHARTS)
        return "dark" if row and (row["state"] == "on" or row["unreachable"]) else "light"

    def set_chart_theme(self, user_id: int, chat_id: int, theme: str) -> None:
        self._write(
            "INSERT INTO switch (user_id, event, chat_id, state, since) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET chat_id = excluded.chat_id, state = excluded.state, unreachable = 0",
            user_id,
            DARK_CHARTS,
            chat_id,
            "on" if theme == "dark" else "off",
            self._seconds(),
        )
