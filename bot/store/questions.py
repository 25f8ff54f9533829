"""Questions that are being answered, so that a restart of the bot loses none."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.sqlite_file import SqliteFile


class OpenQuestion(NamedTuple):
    """A question without a delivered answer.

    `quoted` is the message that asked it in a group, `waiting` the bot's waiting message, `asked_at` a unix second.
    """

    number: int
    user_id: int
    chat_id: int
    quoted: int | None
    waiting: int | None
    question: str
    asked_at: float

    @property
    def key(self) -> str:
        """The idempotency key: under it the service answers and counts the question once."""
        return f"question-{self.number}-{self.asked_at}"


class Questions(SqliteFile):
    """The open questions of all people."""

    def open_question(self, user_id: int, chat_id: int, quoted: int | None, question: str) -> OpenQuestion:
        """Store a question."""
        asked_at = self._seconds()
        with self._writing() as db:
            row = db.execute(
                "INSERT INTO open_question (user_id, chat_id, quoted, question, asked_at) VALUES (?, ?, ?, ?, ?)",
                (user_id, chat_id, quoted, question, asked_at),
            )
            return OpenQuestion(row.lastrowid or 0, user_id, chat_id, quoted, None, question, asked_at)

    def set_waiting(self, number: int, message_id: int) -> None:
        """Store the id of the question's waiting message."""
        self._write("UPDATE open_question SET waiting = ? WHERE number = ?", message_id, number)

    def close_question(self, number: int) -> None:
        """The answer was delivered."""
        self._write("DELETE FROM open_question WHERE number = ?", number)

    def open_questions(self) -> list[OpenQuestion]:
        """Every open question, the oldest first."""
        columns = "number, user_id, chat_id, quoted, waiting, question, asked_at"
        return [OpenQuestion(*row) for row in self._rows(f"SELECT {columns} FROM open_question ORDER BY number")]  # noqa: S608
