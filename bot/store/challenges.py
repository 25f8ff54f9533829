"""The authors of the challenges that were created with this bot."""

from __future__ import annotations

from bot.store.sqlite_file import SqliteFile


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
