"""Each person's theme of charts. It is a switch without alerts: on is dark, off is light."""

from __future__ import annotations

from bot.store.sqlite_file import SqliteFile

CHART_THEMES = ("light", "dark")
EVENT = "dark_charts"


class ChartThemes(SqliteFile):
    """The theme that a person chose. What was switched off because the chat was unreachable was on."""

    def chart_theme(self, user_id: int) -> str:
        """One of CHART_THEMES."""
        row = self._row("SELECT state, unreachable FROM switch WHERE user_id = ? AND event = ?", user_id, EVENT)
        return "dark" if row and (row["state"] == "on" or row["unreachable"]) else "light"

    def set_chart_theme(self, user_id: int, chat_id: int, theme: str) -> None:
        self._write(
            "INSERT INTO switch (user_id, event, chat_id, state, since) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET chat_id = excluded.chat_id, state = excluded.state, unreachable = 0",
            user_id,
            EVENT,
            chat_id,
            "on" if theme == "dark" else "off",
            self._seconds(),
        )
