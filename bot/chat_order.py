"""Updates of one chat are handled in order, those of different chats at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any
from weakref import WeakValueDictionary

from telegram import Update
from telegram.ext import BaseUpdateProcessor

MAX_UPDATES = 10_000  # handled or waiting for their turn at once; more of them wait in the library's queue


class ChatOrder(BaseUpdateProcessor):
    """A chat's next update waits until the handler of the one before returns; no chat waits for another."""

    def __init__(self) -> None:
        super().__init__(MAX_UPDATES)
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def do_process_update(self, update: object, coroutine: Awaitable[Any]) -> None:
        async with self._turns.setdefault(_place(update), asyncio.Lock()):
            await coroutine


def _place(update: object) -> int:
    """The chat of an update; without one, such as for an inline query, its person."""
    if not isinstance(update, Update):
        return 0
    place = update.effective_chat or update.effective_user
    return place.id if place else 0
