"""Challenges: their drafts, their authors, and the messages in groups that show them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import NamedTuple

from bot.store.sqlite_file import SqliteFile

MAX_PER_PERSON = 20  # the newest are kept
DRAFT_KEPT_S = 7 * 86400
# The service remembers an idempotency key for 24 hours; a later Create would create a second challenge.
CREATING_S = 23 * 3600
_LIVE = "user_id = ? AND id = ? AND saved_at >= ? AND (creating_at IS NULL OR creating_at >= ?)"
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


@dataclass(frozen=True)
class Draft:
    """A challenge before it is created; `deadline` is YYYY-MM-DD, None until the person has sent it."""

    question: str
    deadline: str | None


class Drafts(SqliteFile):
    """Drafts by person and id; the draft of another person is never returned."""

    def save_draft(self, user_id: int, question: str) -> int:
        """Save a question for seven days; returns the id of the draft."""
        now = self._seconds()
        with self._writing() as db:
            draft_id = db.execute(
                "INSERT INTO draft (user_id, question, saved_at) VALUES (?, ?, ?)", (user_id, question, now)
            ).lastrowid
            db.execute("DELETE FROM draft WHERE saved_at < ?", (now - DRAFT_KEPT_S,))
            db.execute(
                "DELETE FROM draft WHERE user_id = ? AND id NOT IN"
                " (SELECT id FROM draft WHERE user_id = ? ORDER BY id DESC LIMIT ?)",
                (user_id, user_id, MAX_PER_PERSON),
            )
        assert draft_id is not None  # an INSERT always sets it
        return draft_id

    def draft(self, user_id: int, id: int) -> Draft | None:
        """The draft; None if it was dropped, has expired or is another person's."""
        row = self._row(f"SELECT question, deadline FROM draft WHERE {_LIVE}", *self._live(user_id, id))  # noqa: S608
        return Draft(**row) if row else None

    def set_deadline(self, user_id: int, id: int, deadline: str) -> bool:
        """Set the deadline, YYYY-MM-DD; False if there is no such draft."""
        statement = f"UPDATE draft SET deadline = ? WHERE {_LIVE}"  # noqa: S608
        return self._write(statement, deadline, *self._live(user_id, id)) == 1

    def drop_draft(self, user_id: int, id: int) -> bool:
        """Delete one draft; False if there is no such draft."""
        return self._write("DELETE FROM draft WHERE user_id = ? AND id = ?", user_id, id) == 1

    def begin_creating(self, user_id: int, id: int) -> str | None:
        """The idempotency key with which this draft is created; None if there is no such draft.

        The first call sets it and later calls return the same key, also after a restart, so that pressing Create again
        does not create a second challenge.
        """
        first = f"UPDATE draft SET creating_key = ?, creating_at = ? WHERE {_LIVE} AND creating_key IS NULL"  # noqa: S608
        live = self._live(user_id, id)
        self._write(first, secrets.token_urlsafe(18), self._seconds(), *live)
        row = self._row(f"SELECT creating_key FROM draft WHERE {_LIVE}", *live)  # noqa: S608
        return row["creating_key"] if row else None

    def _live(self, user_id: int, id: int) -> tuple[int, int, float, float]:
        now = self._seconds()
        return user_id, id, now - DRAFT_KEPT_S, now - CREATING_S


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
