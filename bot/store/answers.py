"""What the buttons under a message stand for: Telegram carries 64 bytes, so a button carries a token."""

from __future__ import annotations

import json
import secrets
from typing import Any

from bot.store.file import File

MOST = 200  # of one chat, the newest
KEPT_S = 7 * 86400


class Answers(File):
    """Documents by chat and token."""

    def keep(self, chat_id: int, verb: str, payload: dict[str, Any], *, user_id: int | None = None) -> str:
        """A token of twelve characters by which `find` gives the payload again, for seven days.

        What is kept a second time in the same chat keeps its token. `user_id` is whose it is in a group, so that it
        can be forgotten with that person; in a private chat it is who the chat is with.
        """
        written, now = json.dumps(payload), self._seconds()
        owner = chat_id if user_id is None else user_id
        with self._writing() as db:
            db.execute("DELETE FROM answer WHERE kept_at < ?", (now - KEPT_S,))
            same = db.execute(
                "SELECT token FROM answer WHERE chat_id = ? AND user_id = ? AND verb = ? AND payload = ?",
                (chat_id, owner, verb, written),
            ).fetchone()
            token = same["token"] if same else secrets.token_urlsafe(9)
            db.execute("REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?)", (token, chat_id, owner, verb, written, now))
            db.execute(
                "DELETE FROM answer WHERE chat_id = ? AND token NOT IN"
                " (SELECT token FROM answer WHERE chat_id = ? ORDER BY kept_at DESC, rowid DESC LIMIT ?)",
                (chat_id, chat_id, MOST),
            )
        return token

    def find(self, chat_id: int, token: str) -> dict[str, Any] | None:
        """What was kept in this chat under this token; None when it has expired or belongs to another chat."""
        found = self._row(
            "SELECT payload FROM answer WHERE token = ? AND chat_id = ? AND kept_at >= ?",
            token,
            chat_id,
            self._seconds() - KEPT_S,
        )
        return json.loads(found["payload"]) if found else None
