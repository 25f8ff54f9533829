"""One switch for each person or group and event: whether they want alerts, with or without a sound."""

from __future__ import annotations

import sqlite3
from typing import Literal, NamedTuple

from bot.store.settings import write
from bot.store.sqlite_file import SqliteFile

State = Literal["on", "silent", "off"]

STATES = ("on", "silent", "off")
# What a person follows is on by default; every other event must be switched on.
DEFAULTS: dict[str, State] = {"followed": "on", "flip": "off", "digest": "off"}
# A group has the digest on Mondays, and the switch that lets the bot answer commands alone.
GROUP_DEFAULTS: dict[str, State] = {"weekly": "off", "commands_only": "off"}
EVENTS, GROUP_EVENTS = tuple(DEFAULTS), tuple(GROUP_DEFAULTS)


class Subscriber(NamedTuple):
    """A person subscribed to an event: the chat, whether alerts are silent, and since which unix second."""

    user_id: int
    chat_id: int
    silent: bool
    since: float


class Switches(SqliteFile):
    """Alerts start with events after their switch was on."""

    def switches(self, user_id: int) -> dict[str, State]:
        """The state of every event of a person, or of a group, whose number is below zero."""
        defaults = DEFAULTS if user_id > 0 else GROUP_DEFAULTS
        rows = self._rows("SELECT event, state FROM switch WHERE user_id = ?", user_id)
        return defaults | {row["event"]: row["state"] for row in rows if row["event"] in defaults}

    def set_switch(self, user_id: int, chat_id: int, event: str, state: str) -> None:
        """Set the state of an event; off also deletes its queued alerts. ValueError for an unknown event or state."""
        if event not in EVENTS + GROUP_EVENTS or state not in STATES:
            raise ValueError(f"no such switch: {event} {state}")
        with self._writing() as db:
            set_state(db, user_id, chat_id, event, state, self._seconds())

    def stop_alerts(self, user_id: int, chat_id: int) -> None:
        """Switch every event off and delete the person's queued alerts, all or nothing."""
        with self._writing() as db:
            for event in EVENTS:
                set_state(db, user_id, chat_id, event, "off", self._seconds())

    def set_digest_hour(self, user_id: int, chat_id: int, hour: str) -> None:
        """Send the digest daily at `hour`, 0 to 23, of the person's day, first when that comes; silent stays silent."""
        state = "silent" if self.switches(user_id)["digest"] == "silent" else "on"
        with self._writing() as db:
            write(db, user_id, "hour", hour)
            set_state(db, user_id, chat_id, "digest", state, self._seconds())
            db.execute("UPDATE switch SET since = ? WHERE user_id = ? AND event = 'digest'", (self._seconds(), user_id))

    def subscribers(self, event: str) -> list[Subscriber]:
        """The people for whom an event is on or silent."""
        rows = self._rows("SELECT * FROM switch WHERE event = ? AND state != 'off' ORDER BY user_id", event)
        return [Subscriber(row["user_id"], row["chat_id"], row["state"] == "silent", row["since"]) for row in rows]

    def states(self, event: str) -> dict[int, State]:
        """The state of an event for each person who ever changed it."""
        return {row["user_id"]: row["state"] for row in self._rows("SELECT * FROM switch WHERE event = ?", event)}

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

    def move_group(self, chat_id: int, new_id: int) -> None:
        """Keep the settings, the language and the queue of a group that became a supergroup."""
        with self._writing() as db:
            for table in ("switch", "sent"):
                db.execute(f"UPDATE OR REPLACE {table} SET user_id = ? WHERE user_id = ?", (new_id, chat_id))  # noqa: S608
            for table in ("switch", "alert", "setting"):
                db.execute(f"UPDATE OR REPLACE {table} SET chat_id = ? WHERE chat_id = ?", (new_id, chat_id))  # noqa: S608


def set_state(db: sqlite3.Connection, user_id: int, chat_id: int, event: str, state: str, now: float) -> None:
    # On and silent are one subscription; `since` changes only when it was off.
    db.execute(
        "INSERT INTO switch (user_id, event, chat_id, state, since) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET chat_id = excluded.chat_id, state = excluded.state, unreachable = 0,"
        " since = CASE switch.state WHEN 'off' THEN excluded.since ELSE switch.since END",
        (user_id, event, chat_id, state, now),
    )
    if state == "off":
        db.execute("DELETE FROM alert WHERE user_id = ? AND event = ?", (user_id, event))
