"""The current step of each conversation, from which the ConversationHandler continues after a restart."""

from __future__ import annotations

import json

from bot.store.sqlite_file import SqliteFile

KEPT_S = 3600  # afterwards a text is a question to the oracle again, not the next step of the conversation

Key = tuple[int | str, ...]
Step = int | str


class Conversations(SqliteFile):
    """Steps by the name of the conversation and its key, the ids of the chat and the person."""

    def conversations(self, name: str) -> dict[Key, Step]:
        """The open conversations of this name that reached their step within the last hour."""
        since = self._seconds() - KEPT_S
        rows = self._rows("SELECT key, step FROM conversation WHERE name = ? AND reached_at >= ?", name, since)
        return {tuple(json.loads(row["key"])): json.loads(row["step"]) for row in rows}

    def set_conversation(self, name: str, key: Key, step: Step | None) -> None:
        """Store the step that a conversation has reached; None ends it."""
        written, now = json.dumps(key), self._seconds()
        if step is None:
            self._write("DELETE FROM conversation WHERE name = ? AND key = ?", name, written)
            return
        with self._writing() as db:
            db.execute("DELETE FROM conversation WHERE reached_at < ?", (now - KEPT_S,))
            db.execute("REPLACE INTO conversation VALUES (?, ?, ?, ?)", (name, written, json.dumps(step), now))
