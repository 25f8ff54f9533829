"""The queue of alerts: written in one transaction with the document that caused them, then taken one by one.

An alert is marked as taken before it is sent, so that neither a crash nor a second watcher sends it twice. It keeps its
place in the queue until it was sent, so that the alerts of a chat are sent in order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from bot.store.settings import quiet_until
from bot.store.sqlite_file import SqliteFile

MARK_KEPT_S = 90 * 86400
AT_CHOSEN_HOUR = "digest"  # this event's alerts are sent in quiet hours too: the person chose their hour


class Alert(NamedTuple):
    """A text for a person about an event; `key` identifies it in the event, it expires at `until` (unix seconds)."""

    user_id: int
    event: str
    key: str
    chat_id: int
    silent: bool
    text: str
    until: float


class Alerts(SqliteFile):
    """The watcher's last documents, the alerts in the queue, and the marks of all alerts ever queued."""

    def is_marked(self, user_id: int, event: str, key: str) -> bool:
        """Whether this alert of a person was marked or queued before."""
        return bool(self._row("SELECT 1 FROM sent WHERE user_id = ? AND event = ? AND key = ?", user_id, event, key))

    def state(self, name: str) -> dict[str, Any] | None:
        """The document that the watcher stored last under this name; None if there is none."""
        row = self._row("SELECT document FROM state WHERE name = ?", name)
        return json.loads(row["document"]) if row else None

    def record(self, name: str, document: dict[str, Any], alerts: Iterable[Alert]) -> None:
        """Replace the document and queue the alerts it causes, in one transaction; marked alerts are skipped."""
        with self._writing() as db:
            queue_alerts(db, alerts, self._seconds())
            db.execute("REPLACE INTO state VALUES (?, ?)", (name, json.dumps(document)))

    def queue(self, alerts: Iterable[Alert]) -> None:
        """Queue alerts in one transaction; alerts that are marked already are skipped."""
        with self._writing() as db:
            queue_alerts(db, alerts, self._seconds())

    def waiting(self) -> list[Alert]:
        """The alerts to send now, oldest first; expired alerts and marks older than MARK_KEPT_S are deleted."""
        now = self._seconds()
        with self._writing() as db:
            db.execute("DELETE FROM alert WHERE until < ?", (now,))
            db.execute("DELETE FROM sent WHERE marked_at < ?", (now - MARK_KEPT_S,))
            rows = db.execute(
                "SELECT user_id, event, key, chat_id, silent, text, until FROM alert"
                " WHERE due <= ? AND NOT taken ORDER BY rowid",
                (now,),
            ).fetchall()
        return [Alert(*row)._replace(silent=bool(row["silent"])) for row in rows]

    def take(self, alert: Alert) -> bool:
        """Reserve an alert to send it; False if it was taken or is no longer queued."""
        statement = "UPDATE alert SET taken = 1 WHERE user_id = ? AND event = ? AND key = ? AND NOT taken"
        return self._write(statement, *alert[:3]) == 1

    def put_back(self, alert: Alert) -> None:
        """Release an alert that was certainly not delivered."""
        self._write("UPDATE alert SET taken = 0 WHERE user_id = ? AND event = ? AND key = ?", *alert[:3])

    def remove(self, alert: Alert) -> None:
        """The alert was sent, or is lost."""
        self._write("DELETE FROM alert WHERE user_id = ? AND event = ? AND key = ?", *alert[:3])


def queue_alerts(db: sqlite3.Connection, alerts: Iterable[Alert], now: float) -> None:
    """Queue the alerts that are not marked yet; those of quiet hours wait for their end."""
    for alert in alerts:
        if db.execute("INSERT OR IGNORE INTO sent VALUES (?, ?, ?, ?)", (*alert[:3], now)).rowcount == 0:
            continue
        due = 0 if alert.event == AT_CHOSEN_HOUR else quiet_until(db, alert.user_id, now)
        until = alert.until + (due - now if due else 0)
        db.execute(
            "INSERT OR REPLACE INTO alert (user_id, event, key, chat_id, silent, text, until, due)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*alert[:6], until, due),
        )
