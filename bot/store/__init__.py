"""The bot's own data, in one SQLite file; it holds no copies of the service's data except behind buttons."""

from __future__ import annotations

import json

from bot.store.alerts import Alert, Alerts
from bot.store.answers import Answers
from bot.store.challenges import AuthoredChallenge, Challenges
from bot.store.conversations import Conversations
from bot.store.drafts import Draft, Drafts
from bot.store.switches import DEFAULT_DIGEST, EVENTS, STATES, DigestSubscriber, Subscriber, Switches, is_timezone

__all__ = [
    "DEFAULT_DIGEST",
    "EVENTS",
    "STATES",
    "Alert",
    "AuthoredChallenge",
    "DigestSubscriber",
    "Draft",
    "Store",
    "Subscriber",
    "is_timezone",
]

# The tables with personal data, by the names that `forget` counts them under.
PERSONAL = {
    "answers": "answer",
    "drafts": "draft",
    "challenges": "challenge",
    "alerts": "switch",
    "waiting": "alert",
    "sent": "sent",
}


class Store(Answers, Drafts, Challenges, Switches, Alerts, Conversations):
    """All tables of the bot; every method is synchronous, fast, and safe to call from any thread."""

    def forget(self, user_id: int) -> dict[str, int]:
        """Delete all data of a person; returns the number of deleted rows of each kind."""
        with self._writing() as db:
            counts = {
                name: db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,)).rowcount  # noqa: S608
                for name, table in PERSONAL.items()
            }
            keys = db.execute("SELECT name, key FROM conversation").fetchall()
            theirs = [tuple(row) for row in keys if user_id in json.loads(row["key"])]
            db.executemany("DELETE FROM conversation WHERE name = ? AND key = ?", theirs)
        self._empty_log()
        return counts | {"conversations": len(theirs)}
