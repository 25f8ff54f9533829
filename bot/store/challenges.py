"""Challenges created with this bot, whose authors get a message when they are resolved."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.sqlite_file import SqliteFile


class AuthoredChallenge(NamedTuple):
    """A challenge's number, its author, and the chat in which it was created."""

    user_id: int
    chat_id: int
    number: int


class Challenges(SqliteFile):
    """The authors of challenges."""

    def remember_challenge(self, user_id: int, chat_id: int, number: int) -> None:
        """Store the author of a challenge; repeating it changes nothing.

        The same number with another author belongs to a new database of the service: the new author replaces the old
        one. If these alerts were off only because the chat was unreachable, they are on again.
        """
        with self._writing() as db:
            db.execute(
                "INSERT INTO challenge (number, user_id, chat_id, checked_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET user_id = excluded.user_id, chat_id = excluded.chat_id,"
                " checked_at = excluded.checked_at, notified_at = NULL WHERE user_id != excluded.user_id",
                (number, user_id, chat_id, self._seconds()),
            )
            db.execute(
                "DELETE FROM switch WHERE user_id = ? AND event = 'my_challenge' AND unreachable",
                (user_id,),
            )

    def open_challenges(self) -> list[AuthoredChallenge]:
        """Challenges whose author was not notified yet, the least recently checked first."""
        rows = self._rows(
            "SELECT user_id, chat_id, number FROM challenge WHERE notified_at IS NULL ORDER BY checked_at, number"
        )
        return [AuthoredChallenge(*row) for row in rows]

    def is_author(self, user_id: int, number: int) -> bool:
        """Whether this person created the challenge with this bot, resolved or not."""
        return bool(self._row("SELECT 1 FROM challenge WHERE number = ? AND user_id = ?", number, user_id))

    def mark_checked(self, number: int) -> None:
        """Set the time of the last check to now."""
        self._write("UPDATE challenge SET checked_at = ? WHERE number = ?", self._seconds(), number)

    def mark_notified(self, number: int) -> None:
        """The author was notified, or the challenge no longer exists."""
        self._write(
            "UPDATE challenge SET notified_at = ? WHERE number = ? AND notified_at IS NULL", self._seconds(), number
        )
