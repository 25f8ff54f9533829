"""How far each conversation is, for the ConversationHandler to go on from after a restart."""

from __future__ import annotations

import json

from bot.store.file import File

# Whoever comes back later than that does not remember what was asked: what he says is a question to the oracle again.
KEPT_S = 3600

Key = tuple[int | str, ...]
Step = int | str


class Conversations(File):
    """Steps by the name of the conversation and its key: the chat and the person."""

    def conversations(self, name: str) -> dict[Key, Step]:
        """Every conversation of this name that is not over and went on within the last hour."""
        since = self._seconds() - KEPT_S
        found = self._rows("SELECT key, step FROM conversation WHERE name = ? AND reached_at >= ?", name, since)
        return {tuple(json.loads(row["key"])): json.loads(row["step"]) for row in found}

    def set_conversation(self, name: str, key: Key, step: Step | None) -> None:
        """A conversation is at this step now; over with None."""
        written, now = json.dumps(key), self._seconds()
        if step is None:
            self._write("DELETE FROM conversation WHERE name = ? AND key = ?", name, written)
            return
        with self._writing() as db:
            db.execute("DELETE FROM conversation WHERE reached_at < ?", (now - KEPT_S,))
            db.execute("REPLACE INTO conversation VALUES (?, ?, ?, ?)", (name, written, json.dumps(step), now))
