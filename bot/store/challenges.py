"""Challenges: their authors, and the messages in groups that show them."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.sqlite_file import SqliteFile

MAX_A_CHAT = 10  # the newest of a group; older ones keep what they show


class Challenges(SqliteFile):
    """The author of each challenge."""

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
