"""Challenges that are being written: the question, then the date, then Create or Cancel."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from bot.store.file import File

MOST = 20  # of one person, the newest
KEPT_S = 7 * 86400
# The service knows an idempotency key for 24 hours; a Create pressed after that would create a second challenge.
CREATING_S = 23 * 3600

_LIVE = "user_id = ? AND id = ? AND saved_at >= ? AND (creating_at IS NULL OR creating_at >= ?)"


@dataclass(frozen=True)
class Draft:
    """A challenge before it is created; `deadline` is YYYY-MM-DD, None until it is known."""

    question: str
    deadline: str | None


class Drafts(File):
    """Drafts by person and id; another person's is never found."""

    def save_draft(self, user_id: int, question: str) -> int:
        """Keep a question for seven days; returns the id of the draft."""
        now = self._seconds()
        with self._writing() as db:
            made = db.execute(
                "INSERT INTO draft (user_id, question, saved_at) VALUES (?, ?, ?)", (user_id, question, now)
            )
            db.execute("DELETE FROM draft WHERE saved_at < ?", (now - KEPT_S,))
            db.execute(
                "DELETE FROM draft WHERE user_id = ? AND id NOT IN"
                " (SELECT id FROM draft WHERE user_id = ? ORDER BY id DESC LIMIT ?)",
                (user_id, user_id, MOST),
            )
            return made.lastrowid

    def draft(self, user_id: int, id: int) -> Draft | None:
        """The draft; None when it was dropped, has expired or is another person's."""
        found = self._row(f"SELECT question, deadline FROM draft WHERE {_LIVE}", *self._live(user_id, id))  # noqa: S608
        return Draft(**found) if found else None

    def newest_draft(self, user_id: int) -> int | None:
        """The id of the draft that this person began last; None when there is none any more."""
        newest = "SELECT MAX(id) FROM draft WHERE user_id = ? AND saved_at >= ? AND creating_key IS NULL"
        return self._row(newest, user_id, self._seconds() - KEPT_S)[0]

    def set_deadline(self, user_id: int, id: int, deadline: str) -> bool:
        """Add the date, YYYY-MM-DD; False when there is no such draft."""
        changed = f"UPDATE draft SET deadline = ? WHERE {_LIVE}"  # noqa: S608
        return self._write(changed, deadline, *self._live(user_id, id)) == 1

    def drop_draft(self, user_id: int, id: int) -> bool:
        """Forget one draft; False when there was none."""
        return self._write("DELETE FROM draft WHERE user_id = ? AND id = ?", user_id, id) == 1

    def drop_drafts(self, user_id: int) -> int:
        """Forget all drafts of a person; returns how many there were."""
        return self._write("DELETE FROM draft WHERE user_id = ?", user_id)

    def begin_creating(self, user_id: int, id: int) -> str | None:
        """The idempotency key under which this draft is created; None when there is no such draft.

        It is made at the first call and the same at every later one, also after a restart: pressing Create again
        creates once.
        """
        first = f"UPDATE draft SET creating_key = ?, creating_at = ? WHERE {_LIVE} AND creating_key IS NULL"  # noqa: S608
        live = self._live(user_id, id)
        self._write(first, secrets.token_urlsafe(18), self._seconds(), *live)
        found = self._row(f"SELECT creating_key FROM draft WHERE {_LIVE}", *live)  # noqa: S608
        return found["creating_key"] if found else None

    def _live(self, user_id: int, id: int) -> tuple[int, int, float, float]:
        now = self._seconds()
        return user_id, id, now - KEPT_S, now - CREATING_S
