"""The data behind buttons: Telegram allows 64 bytes in a button, so it carries a token for a saved payload."""

from __future__ import annotations

import json
import secrets
from typing import Any

from bot.store.sqlite_file import SqliteFile

MAX_PER_CHAT = 200  # the newest are kept
KEPT_S = 7 * 86400


class Answers(SqliteFile):
    """Payloads by chat and token."""

    def keep(self, chat_id: int, verb: str, payload: dict[str, Any], *, user_id: int | None = None) -> str:
        """Save a payload for seven days; returns the token of twelve characters for `find`.

        The same payload in the same chat keeps its token. `user_id` is the owner, with whose data it is deleted; by
        default the person of the private chat.
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
                (chat_id, chat_id, MAX_PER_CHAT),
            )
        return token

    def find(self, chat_id: int, token: str) -> dict[str, Any] | None:
        """The payload of a token in this chat; None if it has expired or belongs to another chat."""
        row = self._row(
            "SELECT payload FROM answer WHERE token = ? AND chat_id = ? AND kept_at >= ?",
            token,
            chat_id,
            self._seconds() - KEPT_S,
        )
        return json.loads(row["payload"]) if row else None

    def find_shared(self, token: str) -> dict[str, Any] | None:
        """The payload of a token in any chat, for a link that somebody shared; None if it has expired."""
        row = self._row("SELECT payload FROM answer WHERE token = ? AND kept_at >= ?", token, self._seconds() - KEPT_S)
        return json.loads(row["payload"]) if row else None
