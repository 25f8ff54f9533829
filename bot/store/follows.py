"""What a person follows, their own votes, forecasts and challenges, and the messages in groups about challenges."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from bot.store.alerts import Alert, queue_alerts
from bot.store.sqlite_file import SqliteFile

MAX_FOLLOWS = 50  # of one person
MAX_A_CHAT = 10  # messages about challenges, the newest of a group; older ones keep what they show
COLUMNS = "number, user_id, chat_id, until, repeats, kind, subject, level, title, value, due, owner_id"

Kind = Literal["market", "answer", "price", "chance"]
CALL_KEPT_S = 366 * 86400  # no market and no challenge is open for longer
Side = Literal["yes", "no"]


class Target(NamedTuple):
    """What can be followed.

    `subject` is the id of a market or challenge (also for a `chance`) or of an answer, or an asset. `level`
    is the price or the probability to be reached, else 0; `value` is the price or the probability of now. Nothing can
    happen before the world second `due`. `owner_id` is the person whose question an answer answers.
    """

    kind: Kind
    subject: str
    level: float = 0
    title: str = ""
    value: float | None = None
    due: float = 0
    owner_id: int | None = None

    @property
    def is_fall(self) -> bool:
        """Whether the level is below the price or the probability of now."""
        return self.value is not None and self.level < self.value


class Follow(NamedTuple):
    """A target that a person follows, and the chat that gets the alerts.

    A price is followed until the unix second `until`, None without an end, and one that `repeats` also after a hit.
    """

    number: int
    user_id: int
    chat_id: int
    target: Target
    until: float | None = None
    repeats: bool = False


class FollowEvent(NamedTuple):
    """What happened to a follow: an alert if the person wants it, the value seen, and whether the follow ends."""

    follow: Follow
    alert: Alert | None
    value: float | None = None
    is_last: bool = True


class Follows(SqliteFile):
    """The follows of all people; one that has ended is deleted."""

    def follow(self, user_id: int, chat_id: int, target: Target) -> Follow | None:
        """The person's follow of a target from now on; None if they follow too many.

        Following it again changes nothing. Alerts about what the person follows are on from now on: who follows
        something wants to hear of it.
        """
        now = self._seconds()
        with self._writing() as db:
            (count,) = db.execute("SELECT count(*) FROM follow WHERE user_id = ?", (user_id,)).fetchone()
            if count >= MAX_FOLLOWS:
                return None
            db.execute(
                "INSERT OR IGNORE INTO follow (user_id, chat_id, kind, subject, level, title, value, due, owner_id,"
                " since, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (user_id, chat_id, *target, now, now),
            )
            db.execute("DELETE FROM switch WHERE user_id = ? AND event = 'followed' AND state = 'off'", (user_id,))
        key = (target.kind, target.subject, target.level)
        return next(follow for follow in self.follows_of(user_id) if follow.target[:3] == key)

    def unfollow(self, user_id: int, kind: str, subject: str) -> None:
        """Stop following a target at any level."""
        self._write("DELETE FROM follow WHERE user_id = ? AND kind = ? AND subject = ?", user_id, kind, subject)

    def change_follow(self, user_id: int, number: int, days: int, *, repeats: bool) -> Follow | None:
        """Set how many days from now on a price is followed, 0 without an end, and whether it repeats."""
        until = self._seconds() + days * 86400 if days else None
        statement = "UPDATE follow SET until = ?, repeats = ? WHERE user_id = ? AND number = ?"
        self._write(statement, until, repeats, user_id, number)
        return next((follow for follow in self.follows_of(user_id) if follow.number == number), None)

    def drop_follow(self, user_id: int, number: int) -> None:
        """Stop following by the number of the follow."""
        self._write("DELETE FROM follow WHERE user_id = ? AND number = ?", user_id, number)

    def drop_follows(self, user_id: int, subject: str) -> None:
        """Stop following everything, or all that has this subject."""
        self._write("DELETE FROM follow WHERE user_id = ? AND ? IN (subject, '')", user_id, subject)

    def is_following(self, user_id: int, kind: str, subject: str) -> bool:
        row = self._row("SELECT 1 FROM follow WHERE user_id = ? AND kind = ? AND subject = ?", user_id, kind, subject)
        return bool(row)

    def follows_of(self, user_id: int) -> list[Follow]:
        """The person's follows, the newest first."""
        rows = self._rows(f"SELECT {COLUMNS} FROM follow WHERE user_id = ? ORDER BY number DESC", user_id)  # noqa: S608
        return [_follow(row) for row in rows]

    def follows(self, *kinds: Kind) -> list[Follow]:
        """Every follow of these kinds, the least recently checked first."""
        marks = ", ".join("?" for _ in kinds)
        statement = f"SELECT {COLUMNS} FROM follow WHERE kind IN ({marks}) ORDER BY checked_at, number"  # noqa: S608
        return [_follow(row) for row in self._rows(statement, *kinds)]

    def mark_checked(self, follows: Iterable[Follow]) -> None:
        """Set the time of the last check to now."""
        with self._writing() as db:
            rows = [(self._seconds(), follow.number) for follow in follows]
            db.executemany("UPDATE follow SET checked_at = ? WHERE number = ?", rows)

    def record_events(self, events: Iterable[FollowEvent]) -> None:
        """Queue the alerts of events and change their follows, in one transaction."""
        with self._writing() as db:
            for follow, alert, value, is_last in events:
                if is_last:
                    cursor = db.execute("DELETE FROM follow WHERE number = ?", (follow.number,))
                else:
                    cursor = db.execute("UPDATE follow SET value = ? WHERE number = ?", (value, follow.number))
                if cursor.rowcount == 1 and alert is not None:  # the follow still existed
                    queue_alerts(db, [alert], self._seconds())


def _follow(row: sqlite3.Row) -> Follow:
    number, user_id, chat_id, until, repeats, *target = row
    return Follow(number, user_id, chat_id, Target(*target), until, bool(repeats))


class OwnCall(NamedTuple):
    """A person's vote on a market or a challenge, and their forecast P(YES); at least one of them."""

    prediction_id: str
    vote: Side | None
    p: float | None


class Votes(SqliteFile):
    """A person's latest vote and forecast by the id of the market or challenge, and the author of each challenge."""

    def remember_call(self, user_id: int, prediction_id: str, call: str | float) -> None:
        """Store a vote, "yes" or "no", or a forecast P(YES) in place of an earlier one."""
        table, at = ("vote", "voted_at") if isinstance(call, str) else ("forecast", "forecast_at")
        now = self._seconds()
        with self._writing() as db:
            db.execute(f"DELETE FROM {table} WHERE {at} < ?", (now - CALL_KEPT_S,))  # noqa: S608
            db.execute(f"REPLACE INTO {table} VALUES (?, ?, ?, ?)", (user_id, prediction_id, call, now))  # noqa: S608

    def votes_of(self, user_id: int, prediction_ids: Collection[str]) -> dict[str, Side]:
        """The person's votes on these markets and challenges, by their ids."""
        rows = self._rows("SELECT prediction_id, vote FROM vote WHERE user_id = ?", user_id)
        return {row["prediction_id"]: row["vote"] for row in rows if row["prediction_id"] in prediction_ids}

    def own_calls(self, user_id: int, limit: int) -> list[OwnCall]:
        """The person's newest votes and forecasts, joined by market or challenge."""
        rows = self._rows(
            "SELECT prediction_id, max(vote), max(p), max(at) AS latest FROM ("
            " SELECT prediction_id, vote, NULL AS p, voted_at AS at FROM vote WHERE user_id = ?"
            " UNION ALL SELECT prediction_id, NULL, p, forecast_at FROM forecast WHERE user_id = ?)"
            " GROUP BY prediction_id ORDER BY latest DESC, prediction_id LIMIT ?",
            user_id,
            user_id,
            limit,
        )
        return [OwnCall(*row[:3]) for row in map(tuple, rows)]

    def remember_challenge(self, user_id: int, chat_id: int, number: int) -> None:
        """Store the author of a challenge.

        The same number with another author belongs to a new database of the service: the new author replaces the old
        one.
        """
        self._write("REPLACE INTO challenge (number, user_id, chat_id) VALUES (?, ?, ?)", number, user_id, chat_id)

    def is_author(self, user_id: int, number: int) -> bool:
        """Whether this person created the challenge with this bot, resolved or not."""
        return bool(self._row("SELECT 1 FROM challenge WHERE number = ? AND user_id = ?", number, user_id))


class LiveMessage(NamedTuple):
    """A message about the challenge `number`; `state` is that of the challenge as the message shows it."""

    chat_id: int
    message_id: int
    number: int
    state: str


class LiveChallenges(SqliteFile):
    """One row for each message, until its challenge is resolved."""

    def show_live(self, live: LiveMessage) -> None:
        """Store what a message shows; the oldest messages of its chat are forgotten."""
        with self._writing() as db:
            db.execute("REPLACE INTO live_challenge VALUES (?, ?, ?, ?)", live)
            db.execute(
                "DELETE FROM live_challenge WHERE chat_id = ? AND message_id NOT IN (SELECT message_id"
                " FROM live_challenge WHERE chat_id = ? ORDER BY message_id DESC LIMIT ?)",
                (live.chat_id, live.chat_id, MAX_A_CHAT),
            )

    def live_messages(self, number: int | None = None) -> list[LiveMessage]:
        """The messages of a challenge, or of all."""
        rows = self._rows("SELECT * FROM live_challenge WHERE ?1 IS NULL OR number = ?1", number)
        return [LiveMessage(*row) for row in rows]

    def drop_live(self, live: LiveMessage) -> None:
        self._write("DELETE FROM live_challenge WHERE chat_id = ? AND message_id = ?", *live[:2])
