"""Conversations survive a restart: python-telegram-bot's persistence over the bot's own file, and of nothing else."""

from __future__ import annotations

import asyncio
from typing import Any

from telegram.ext import BasePersistence, PersistenceInput

from bot.store import Store

# Written this often; a bot that is killed forgets at most the last second of a conversation.
EVERY_S = 1.0


class StorePersistence(BasePersistence[dict, dict, dict]):
    """Keeps the steps of conversations in the store; what handlers put into `user_data` and the like is not kept."""

    def __init__(self, store: Store) -> None:
        nothing = PersistenceInput(bot_data=False, chat_data=False, user_data=False, callback_data=False)
        super().__init__(nothing, update_interval=EVERY_S)
        self._store = store

    async def get_conversations(self, name: str) -> dict[tuple[int | str, ...], object]:
        return await asyncio.to_thread(self._store.conversations, name)

    async def update_conversation(self, name: str, key: tuple[int | str, ...], new_state: object | None) -> None:
        await asyncio.to_thread(self._store.set_conversation, name, key, new_state)

    async def flush(self) -> None:
        """Nothing waits: every step is written when it is told."""

    # Asked of every persistence, and never called on one that stores only conversations.
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
