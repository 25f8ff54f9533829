"""What the bot keeps of its own, in one small file: nothing that the service knows is kept here a second time."""

from __future__ import annotations

import json

from bot.store.alerts import Alert, Alerts
from bot.store.answers import Answers
from bot.store.challenges import Authored, Challenges
from bot.store.conversations import Conversations
from bot.store.drafts import Draft, Drafts
from bot.store.switches import EVENTS, STATES, Subscriber, Switches, is_timezone

__all__ = ["EVENTS", "STATES", "Alert", "Authored", "Draft", "Store", "Subscriber", "is_timezone"]

# What is counted for a person who asks to be forgotten, and where it lies.
PERSONAL = {
    "answers": "answer",
    "drafts": "draft",
    "challenges": "challenge",
    "alerts": "switch",
    "waiting": "alert",
    "sent": "sent",
}


class Store(Answers, Drafts, Challenges, Switches, Alerts, Conversations):
    """The bot's file; every method is synchronous, quick, and safe to call from any thread."""

    def forget(self, user_id: int) -> dict[str, int]:
        """Delete everything of a person; returns how many rows there were of each kind."""
        with self._writing() as db:
            counts = {
                name: db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,)).rowcount  # noqa: S608
                for name, table in PERSONAL.items()
            }
            keys = db.execute("SELECT name, key FROM conversation").fetchall()
            over = [tuple(row) for row in keys if user_id in json.loads(row["key"])]
            db.executemany("DELETE FROM conversation WHERE name = ? AND key = ?", over)
        self._forget_the_log()
        return counts | {"conversations": len(over)}
