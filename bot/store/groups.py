"""The settings of a group: switches whose person is the group itself."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.switches import Switches, set_state


class GroupSettings(NamedTuple):
    """Whether the group gets the weekly digest, and whether only commands are answered there."""

    weekly: bool
    commands_only: bool


class Groups(Switches):
    """Settings by the number of the group; both are off at first."""

    def group_settings(self, chat_id: int) -> GroupSettings:
        rows = self._rows("SELECT event FROM switch WHERE user_id = ? AND state = 'on'", chat_id)
        on = {row["event"] for row in rows}
        return GroupSettings(*(name in on for name in GroupSettings._fields))

    def set_group_setting(self, chat_id: int, name: str, *, is_on: bool) -> None:
        """Raises ValueError for an unknown setting. A digest that is switched off is not sent from the queue either."""
        if name not in GroupSettings._fields:
            raise ValueError(f"no such setting: {name}")
        with self._writing() as db:
            set_state(db, chat_id, chat_id, name, "on" if is_on else "off", self._seconds())

    def move_group(self, chat_id: int, new_id: int) -> None:
        """Keep the settings, the language and the queue of a group that became a supergroup."""
        with self._writing() as db:
            for table in ("switch", "sent"):
                db.execute(f"UPDATE OR REPLACE {table} SET user_id = ? WHERE user_id = ?", (new_id, chat_id))  # noqa: S608
            for table in ("switch", "alert", "chat_language"):
                db.execute(f"UPDATE OR REPLACE {table} SET chat_id = ? WHERE chat_id = ?", (new_id, chat_id))  # noqa: S608
