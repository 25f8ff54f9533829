"""The bot's own data, in one SQLite file; it holds no copies of the service's data except behind buttons."""

from __future__ import annotations

from bot.store.alerts import Alert, Alerts, Hours, QuietHours
from bot.store.challenges import Challenges, LiveChallenges, LiveMessage
from bot.store.follows import MAX_FOLLOWS, Follow, FollowEvent, Follows, Kind, OwnCall, Target, Votes
from bot.store.questions import Answers, OpenQuestion, Questions
from bot.store.switches import (
    CHART_THEMES,
    DEFAULT_DIGEST,
    DEFAULTS,
    EVENTS,
    STATES,
    ChartThemes,
    ChatLanguages,
    DigestSubscriber,
    Groups,
    GroupSettings,
    Subscriber,
    is_timezone,
)

__all__ = [
    "CHART_THEMES",
    "DEFAULTS",
    "DEFAULT_DIGEST",
    "EVENTS",
    "MAX_FOLLOWS",
    "STATES",
    "Alert",
    "DigestSubscriber",
    "Follow",
    "FollowEvent",
    "GroupSettings",
    "Hours",
    "Kind",
    "LiveMessage",
    "OpenQuestion",
    "OwnCall",
    "Store",
    "Subscriber",
    "Target",
    "is_timezone",
]

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
    "quiet_hours": "quiet_hours",
}


class Store(
    Answers,
    Questions,
    Votes,
    Challenges,
    LiveChallenges,
    Groups,
    ChartThemes,
    QuietHours,
    Follows,
    Alerts,
    ChatLanguages,
):
    """All tables of the bot; every method is synchronous, fast, and safe to call from any thread."""

    def forget(self, user_id: int) -> dict[str, int]:
        """Delete all data of a person; returns the number of deleted rows of each kind.

        The language is not counted: every update stores that of the person's Telegram again.
        """
        with self._writing() as db:
            counts = {
                name: db.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,)).rowcount  # noqa: S608
                for name, table in PERSONAL.items()
            }
            db.execute("DELETE FROM follow WHERE owner_id = ?", (user_id,))
            db.execute("DELETE FROM chat_language WHERE chat_id = ?", (user_id,))
        self._empty_log()
        return counts
