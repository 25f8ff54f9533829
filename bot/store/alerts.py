"""Alerts on their way: put down together with what the watcher saw, then taken one by one and sent.

Whoever takes an alert sends it: it is taken before it is sent, so neither a crash nor a second watcher sends it again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from bot.store.file import File

REMEMBERED_S = 90 * 86400


class Alert(NamedTuple):
    """A text for a person about an event; `key` tells it from others of its kind, `until` is a unix second."""

    user_id: int
    event: str
    key: str
    chat_id: int
    silent: bool
    text: str
    until: float


class Alerts(File):
    """What was seen, what is still to be told of it, and what was told."""

    def mark_sent(self, user_id: int, event: str, key: str) -> bool:
        """Note that this person is told of this; True the first time only, also across a restart."""
        with self._writing() as db:
            return _mark(db, user_id, event, key, self._seconds())

    def is_marked(self, user_id: int, event: str, key: str) -> bool:
        """Whether `mark_sent` was called for this, or an alert of it queued."""
        return bool(self._row("SELECT 1 FROM sent WHERE user_id = ? AND event = ? AND key = ?", user_id, event, key))

    def state(self, name: str) -> dict[str, Any] | None:
        """What the watcher saw last; None before it saw anything."""
        found = self._row("SELECT document FROM state WHERE name = ?", name)
        return json.loads(found["document"]) if found else None

    def set_state(self, name: str, document: dict[str, Any]) -> None:
        """What the watcher saw, in place of what it saw before."""
        self.note(name, document, [])

    def note(self, name: str, document: dict[str, Any], alerts: Iterable[Alert]) -> None:
        """What the watcher saw and the alerts that follow from it, all or nothing; what was marked is left out."""
        with self._writing() as db:
            _queue(db, alerts, self._seconds())
            db.execute("REPLACE INTO state VALUES (?, ?)", (name, json.dumps(document)))

    def queue(self, alerts: Iterable[Alert]) -> None:
        """Alerts to be sent, all or nothing; what was marked is left out."""
        with self._writing() as db:
            _queue(db, alerts, self._seconds())

    def waiting(self) -> list[Alert]:
        """What is still to be sent, oldest first; what came too late is dropped, and marks of long ago with it."""
        now = self._seconds()
        with self._writing() as db:
            db.execute("DELETE FROM alert WHERE until < ?", (now,))
            db.execute("DELETE FROM sent WHERE marked_at < ?", (now - REMEMBERED_S,))
            rows = db.execute(
                "SELECT user_id, event, key, chat_id, silent, text, until FROM alert ORDER BY rowid"
            ).fetchall()
        return [Alert(*row)._replace(silent=bool(row["silent"])) for row in rows]

    def take(self, alert: Alert) -> bool:
        """Take an alert to send it; False when it was taken, switched off or forgotten meanwhile."""
        return self._write("DELETE FROM alert WHERE user_id = ? AND event = ? AND key = ?", *alert[:3]) == 1

    def put_back(self, alert: Alert) -> None:
        """Leave an alert that was surely not delivered for the next pass, unless its person was forgotten."""
        self._write(
            "INSERT OR IGNORE INTO alert SELECT ?, ?, ?, ?, ?, ?, ?"
            " WHERE EXISTS (SELECT 1 FROM sent WHERE user_id = ? AND event = ? AND key = ?)",
            *alert,
            *alert[:3],
        )


def _queue(db: sqlite3.Connection, alerts: Iterable[Alert], now: float) -> None:
    for alert in alerts:
        if _mark(db, alert.user_id, alert.event, alert.key, now):
            db.execute("INSERT INTO alert VALUES (?, ?, ?, ?, ?, ?, ?)", alert)


def _mark(db: sqlite3.Connection, user_id: int, event: str, key: str, now: float) -> bool:
    return db.execute("INSERT OR IGNORE INTO sent VALUES (?, ?, ?, ?)", (user_id, event, key, now)).rowcount == 1
