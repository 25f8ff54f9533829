"""The library's persistence over the bot's database, for conversations only, so that they survive a restart."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from telegram.ext import BasePersistence, PersistenceInput

from bot.store import Store
from bot.store.conversations import Step

EVERY_S = 1.0  # how often steps are written; a killed bot loses at most the last second of a conversation


class StorePersistence(BasePersistence[dict, dict, dict]):
    """Keeps the steps of conversations in the store; `user_data`, `chat_data` and `bot_data` are not kept."""

    def __init__(self, store: Store) -> None:
        only_conversations = PersistenceInput(bot_data=False, chat_data=False, user_data=False, callback_data=False)
        super().__init__(only_conversations, update_interval=EVERY_S)
        self._store = store

    async def get_conversations(self, name: str) -> dict[tuple[int | str, ...], object]:
        return {**await asyncio.to_thread(self._store.conversations, name)}

    async def update_conversation(self, name: str, key: tuple[int | str, ...], new_state: object | None) -> None:
        step = cast("Step | None", new_state)  # the bot's conversations number their steps
        await asyncio.to_thread(self._store.set_conversation, name, key, step)

    async def flush(self) -> None:
        """Nothing to do: every step is written at once."""

    # The library requires the methods below and never calls them on a persistence of conversations only.
    async def get_user_data(self) -> dict[int, dict]:
        return {}

    async def get_chat_data(self) -> dict[int, dict]:
        return {}

    async def get_bot_data(self) -> dict:
        return {}

    async def get_callback_data(self) -> None:
        return None

    async def update_user_data(self, user_id: int, data: dict) -> None: ...

    async def update_chat_data(self, chat_id: int, data: dict) -> None: ...

    async def update_bot_data(self, data: dict) -> None: ...

    async def update_callback_data(self, data: Any) -> None: ...

    async def drop_chat_data(self, chat_id: int) -> None: ...

    async def drop_user_data(self, user_id: int) -> None: ...

    async def refresh_user_data(self, user_id: int, user_data: dict) -> None: ...

    async def refresh_chat_data(self, chat_id: int, chat_data: dict) -> None: ...

    async def refresh_bot_data(self, bot_data: dict) -> None: ...
