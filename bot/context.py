"""The context of every handler: the library's own, with the bot's service, store and clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from telegram import Bot, Update
from telegram.ext import CallbackContext, ExtBot

from bot import updates
from bot.keyboards import Page
from bot.languages import SOURCE, spoken, zone
from bot.rate_limiter import Throttle
from bot.service import Person, Service
from bot.store import Store
from bot.views import VIEWS, ViewRequest

MAX_QUEUE = 10  # charts; with more, those that nobody pressed a button for are left out


class DrawingThread:
    """Draws charts in the order in which they are requested.

    Drawing takes about 0.2 s of CPU and holds the interpreter's lock for most of it: several threads would not be
    faster, and together they would delay the replies to other chats.
    """

    def __init__(self, max_queue: int = MAX_QUEUE) -> None:
        self._thread = ThreadPoolExecutor(1, "drawing")
        self._queue, self._max_queue = 0, max_queue

    @property
    def is_busy(self) -> bool:
        """Whether so many charts wait that only requested ones should be drawn."""
        return self._queue >= self._max_queue

    async def draw(self, chart: Callable[..., bytes], *values: Any) -> bytes:
        """The picture that `chart` returns for these values."""
        self._queue += 1
        try:
            # Charts are English, and their font has no Chinese; their dates are in the zone of the person.
            drawing = partial(spoken, SOURCE, partial(chart, *values), zone().key)
            return await asyncio.get_running_loop().run_in_executor(self._thread, drawing)
        finally:
            self._queue -= 1

    def close(self) -> None:
        """End the thread; charts that wait are not drawn."""
        self._thread.shutdown(wait=False, cancel_futures=True)


class Expired(Exception):
    """What a button needs is not saved any more."""


@dataclass(frozen=True)
class SharedState:
    """What all handlers share; `askers` holds the ids of the people whose question is being answered.

    `delivery` is locked while the queue of alerts is being sent. `inline_queries` holds the latest inline query of
    each person who is typing, `inline_messages` the inline messages whose question is being answered. `live_edits`
    holds the chat and the number of each message of a challenge that is being edited.
    """

    service: Service
    store: Store
    now: Callable[[], datetime]
    bot: Bot
    delivery: asyncio.Lock = field(default_factory=asyncio.Lock)
    inline_queries: dict[int, str] = field(default_factory=dict)
    inline_messages: set[str] = field(default_factory=set)
    live_edits: set[tuple[int, int]] = field(default_factory=set)
    askers: set[int] = field(default_factory=set)
    throttle: Throttle = field(default_factory=Throttle)
    drawing: DrawingThread = field(default_factory=DrawingThread)


class BotContext(CallbackContext[ExtBot, dict, dict, dict]):
    """The library's context with typed access to the shared state and to the words of the update."""

    @property
    def state(self) -> SharedState:
        return self.bot_data["state"]

    @property
    def service(self) -> Service:
        return self.state.service

    @property
    def store(self) -> Store:
        return self.state.store

    @property
    def argument(self) -> str:
        """The words after a command, joined by single spaces; empty for other updates."""
        return " ".join(self.args or ())

    @property
    def captures(self) -> tuple[str, ...]:
        """The groups captured by the handler's pattern, in order; empty for a handler without a pattern."""
        return self.match.groups() if self.match else ()

    async def payload(self, update: Update, token: str) -> dict[str, Any]:
        """What was saved in the update's chat under a button's token; raises Expired after its time."""
        payload = await asyncio.to_thread(self.store.find, updates.chat(update).id, token)
        if payload is None:
            raise Expired(token)
        return payload

    async def remember(self, update: Update, meaning: dict[str, Any]) -> None:
        """Let the next text of the chat carry this on."""
        await asyncio.to_thread(self.store.keep, updates.chat(update).id, "meaning", {"understood": meaning})

    def person(self, update: Update) -> Person:
        """The service on behalf of the update's sender."""
        return self.service.for_user(updates.user_id(update))

    async def view(self, update: Update, name: str, argument: str = "", page: int = 0) -> Page:
        """A view for the update's sender."""
        chat_id, user_id = updates.sender(update)
        request = ViewRequest(
            self.service, self.store, self.bot.username, user_id, chat_id, self.state.now(), argument, page
        )
        return await VIEWS[name](request)
