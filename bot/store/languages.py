"""The language of each chat: the one chosen with /language, else the last one that the person's Telegram was set to."""

from __future__ import annotations

from bot.store.sqlite_file import SqliteFile


class ChatLanguages(SqliteFile):
    """Language codes by chat; a private chat has the number of its person."""

    def language(self, *chat_ids: int) -> str | None:
        """The language of the first of these chats that has one; None if there is none."""
        rows = (self._row("SELECT chosen, seen FROM chat_language WHERE chat_id = ?", chat) for chat in chat_ids)
        return next((row["chosen"] or row["seen"] for row in rows if row), None)

    def note_language(self, chat_id: int, seen: str) -> None:
        """Remember the language that the person's Telegram is set to."""
        row = self._row("SELECT seen FROM chat_language WHERE chat_id = ?", chat_id)
        if row is None or row["seen"] != seen:
            self._write(
                "INSERT INTO chat_language (chat_id, seen) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET seen = excluded.seen",
                chat_id,
                seen,
            )

    def choose_language(self, chat_id: int, chosen: str | None) -> None:
        """Set the language of a chat; None follows Telegram again."""
        self._write(
            "INSERT INTO chat_language (chat_id, chosen) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET chosen = excluded.chosen",
            chat_id,
            chosen,
        )
