"""What each person wants to hear unasked: on, silent (without a sound) or off, for each event."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any, Literal, NamedTuple
from zoneinfo import available_timezones

from bot.store.file import File

State = Literal["on", "silent", "off"]

STATES = ("on", "silent", "off")
# The author of a challenge hears of its outcome unless he says otherwise; all else has to be asked for.
USUAL: dict[str, State] = {"my_challenge": "on", "flip": "off", "lane": "off", "hospital": "off", "digest": "off"}
EVENTS = tuple(USUAL)
USUAL_HOUR, USUAL_TIMEZONE = 8, "UTC"


class Subscriber(NamedTuple):
    """Who hears of an event, in which chat, without a sound or with one, and since which unix second.

    `hour` and `timezone` are those of the digest, None of other events.
    """

    user_id: int
    chat_id: int
    silent: bool
    since: float
    hour: int | None
    timezone: str | None


class Switches(File):
    """One switch for each person and event; nothing of before it was on is told."""

    def switches(self, user_id: int) -> dict[str, State]:
        """Every event with how it is switched."""
        found = self._rows("SELECT event, state FROM switch WHERE user_id = ?", user_id)
        return USUAL | {row["event"]: row["state"] for row in found}

    def set_switch(self, user_id: int, chat_id: int, event: str, state: str) -> None:
        """Switch an event; raises ValueError for an unknown event or state.

        A digest that has no hour yet comes at 8 in UTC. What is still to be sent of an event that goes off is not
        sent any more.
        """
        if event not in EVENTS or state not in STATES:
            raise ValueError(f"no such switch: {event} {state}")
        with self._writing() as db:
            _switch(db, user_id, chat_id, event, state, self._seconds())

    def digest(self, user_id: int) -> dict[str, Any] | None:
        """`hour` (0 to 23) and `timezone` of a person's digest, None before one was ever wanted."""
        found = self._row("SELECT hour, timezone FROM switch WHERE user_id = ? AND event = 'digest'", user_id)
        return dict(found) if found else None

    def set_digest(self, user_id: int, chat_id: int, hour: int | None, timezone: str) -> None:
        """A digest every day at `hour` (0 to 23) of `timezone`, or none with None; a silent one stays silent.

        Raises ValueError for an hour that no day has, or a timezone that `is_timezone` does not know. An hour that
        has passed today is first due tomorrow.
        """
        if hour not in {None, *range(24)} or not is_timezone(timezone):
            raise ValueError(f"no such hour of a day: {hour} {timezone}")
        with self._writing() as db:
            if hour is None:
                _switch(db, user_id, chat_id, "digest", "off", self._seconds())
                return
            is_silent = db.execute(
                "SELECT 1 FROM switch WHERE user_id = ? AND event = 'digest' AND state = 'silent'", (user_id,)
            ).fetchone()
            _switch(db, user_id, chat_id, "digest", "silent" if is_silent else "on", self._seconds())
            db.execute(
                "UPDATE switch SET hour = ?, timezone = ?, since = ? WHERE user_id = ? AND event = 'digest'",
                (hour, timezone, self._seconds(), user_id),
            )

    def subscribers(self, event: str) -> list[Subscriber]:
        """Those who switched an event on, with a sound or without."""
        found = self._rows(
            "SELECT user_id, chat_id, state = 'silent', since, hour, timezone FROM switch"
            " WHERE event = ? AND state != 'off' ORDER BY user_id",
            event,
        )
        return [Subscriber(user, chat, bool(silent), *rest) for user, chat, silent, *rest in found]

    def switch_off(self, chat_id: int) -> None:
        """Switch off all that goes to a chat which cannot be reached: the bot is blocked, or the chat deleted."""
        with self._writing() as db:
            # The authors among them have no switch yet when they never touched it.
            db.execute(
                "INSERT OR IGNORE INTO switch (user_id, event, chat_id, state, since)"
                " SELECT user_id, 'my_challenge', chat_id, 'on', ? FROM challenge"
                " WHERE chat_id = ? AND told_at IS NULL",
                (self._seconds(), chat_id),
            )
            db.execute(
                "UPDATE switch SET state = 'off', unreachable = 1 WHERE chat_id = ? AND state != 'off'", (chat_id,)
            )
            db.execute("DELETE FROM alert WHERE chat_id = ?", (chat_id,))


def _switch(db: sqlite3.Connection, user_id: int, chat_id: int, event: str, state: str, now: float) -> None:
    hour, timezone = (USUAL_HOUR, USUAL_TIMEZONE) if event == "digest" else (None, None)
    # On and silent are the same subscription; only from off a new one begins.
    db.execute(
        "INSERT INTO switch (user_id, event, chat_id, state, since, hour, timezone) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET chat_id = excluded.chat_id, state = excluded.state, unreachable = 0,"
        " since = CASE switch.state WHEN 'off' THEN excluded.since ELSE switch.since END",
        (user_id, event, chat_id, state, now, hour, timezone),
    )
    if state == "off":
        db.execute("DELETE FROM alert WHERE user_id = ? AND event = ?", (user_id, event))


def is_timezone(name: str) -> bool:
    """Whether this is a name of the IANA database, such as Europe/Zurich."""
    return name in _timezones()


@cache
def _timezones() -> frozenset[str]:
    return frozenset(available_timezones())
