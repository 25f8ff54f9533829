"""The bot's own data, in one SQLite file; it holds no copies of the service's data except behind buttons."""

from __future__ import annotations

from bot.store.alerts import Alert, Alerts
from bot.store.follows import Follow, FollowEvent, Follows, LiveChallenges, LiveMessage, OwnCall, Target, Votes
from bot.store.questions import Answers, OpenQuestion, Questions
from bot.store.settings import ChatSettings, timezones
from bot.store.switches import DEFAULTS, EVENTS, GROUP_EVENTS, Subscriber, Switches

__all__ = ["DEFAULTS", "EVENTS", "GROUP_EVENTS", "Alert", "Follow", "FollowEvent", "LiveMessage"]
__all__ += ["OpenQuestion", "OwnCall", "Store", "Subscriber", "Target", "timezones"]

# The tables with personal data, by the names that `forget` counts them under.
PERSONAL = {
    "answers": "answer",
    "challenges": "challenge",
    "alerts": "switch",
    "waiting": "alert",
    "sent": "sent",
    "questions": "open_question",
    "votes": "vote",
    "forecasts": "forecast",
    "follows": "follow",
}


class Store(Answers, Questions, Votes, LiveChallenges, ChatSettings, Switches, Follows, Alerts):
    """All tables of the bot; every method is synchronous, fast, and safe to call from any thread."""

    def forget(self, user_id: int) -> dict[str, int]:
        """Delete all data of a person; returns the number of deleted rows of each kind.

        The language of their Telegram is not counted: every update stores it again.
        """
        with self._writing() as db:
            counts = {
                name: db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,)).rowcount  # noqa: S608
                for name, table in PERSONAL.items()
            }
            db.execute("DELETE FROM follow WHERE owner_id = ?", (user_id,))
            db.execute("DELETE FROM setting WHERE chat_id = ? AND name = 'seen'", (user_id,))
            counts["alerts"] += db.execute("DELETE FROM setting WHERE chat_id = ?", (user_id,)).rowcount
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")  # the write-ahead log may still contain deleted data
        return counts
