"""Challenges that were created here and whose authors wait for the outcome."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.file import File


class Authored(NamedTuple):
    """A challenge by its number, who created it and in which chat."""

    user_id: int
    chat_id: int
    number: int


class Challenges(File):
    """Who is to be told of which challenge."""

    def remember_challenge(self, user_id: int, chat_id: int, number: int) -> None:
        """Tell this person in this chat when the challenge resolves; said again it changes nothing.

        A number that comes again with another author is of a service that began anew; the author of now counts.
        Alerts of this kind that were off only because the chat was unreachable are on again: it is not any more.
        """
        with self._writing() as db:
            db.execute(
                "INSERT INTO challenge (number, user_id, chat_id, looked_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET user_id = excluded.user_id, chat_id = excluded.chat_id,"
                " looked_at = excluded.looked_at, told_at = NULL WHERE user_id != excluded.user_id",
                (number, user_id, chat_id, self._seconds()),
            )
            db.execute(
                "DELETE FROM switch WHERE user_id = ? AND event = 'my_challenge' AND unreachable",
                (user_id,),
            )

    def open_challenges(self) -> list[Authored]:
        """Those whose author was not told yet, the one looked at longest ago first."""
        waiting = self._rows(
            "SELECT user_id, chat_id, number FROM challenge WHERE told_at IS NULL ORDER BY looked_at, number"
        )
        return [Authored(*row) for row in waiting]

    def is_author(self, user_id: int, number: int) -> bool:
        """Whether this person created the challenge here, also when he was told of its outcome long ago."""
        return bool(self._row("SELECT 1 FROM challenge WHERE number = ? AND user_id = ?", number, user_id))

    def mark_looked_at(self, number: int) -> None:
        """This one was looked at now: others come first the next time."""
        self._write("UPDATE challenge SET looked_at = ? WHERE number = ?", self._seconds(), number)

    def mark_told(self, number: int) -> None:
        """Nobody waits for this one any more."""
        self._write("UPDATE challenge SET told_at = ? WHERE number = ? AND told_at IS NULL", self._seconds(), number)
