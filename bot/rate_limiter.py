"""Telegram's limits (30 messages a second, 20 a minute in a group), the limit of a person, and the order of a chat."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime, timedelta
from math import ceil
from typing import Any
from weakref import WeakValueDictionary

import httpx
from aiolimiter import AsyncLimiter
from telegram import Update
from telegram.constants import FloodLimit
from telegram.error import BadRequest, NetworkError, RetryAfter, TimedOut
from telegram.ext import BaseRateLimiter, BaseUpdateProcessor

LOG = logging.getLogger(__name__)

ATTEMPTS = 3  # at a call, each after the wait that Telegram requests
ONE_ATTEMPT = 1  # as `rate_limit_args`: one attempt, which fails where its chat has to wait; the library drops a 0
MAX_WAIT_S = 60.0  # a call that would wait longer for its chat fails at once
PAUSES_S = (1.0, 3.0)  # before the second and the third attempt after a failure
COURTESIES = ("sendChatAction", "answerCallbackQuery")  # of no use later
NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
MARGIN_S = 0.1  # added to each wait
GROUP_WINDOW_S = 60
MAX_CHATS = 1_000  # remembered at once; then the ones without a limit in force are forgotten

Chat = int | str
Call = Callable[..., Coroutine[Any, Any, Any]]
UPDATES = 30  # a minute for each person
WINDOW = timedelta(minutes=1)
MAX_PERSONS = 10_000  # remembered at once; then those without a recent update are forgotten
MAX_UPDATES = 10_000  # handled or waiting for their turn at once; more of them wait in the library's queue


class ChatRateLimiter(BaseRateLimiter[int]):
    """Delays the calls of the bot so that Telegram accepts them.

    A refusal with 429 delays the calls to its chat. A call without a chat delays nothing but its own repetition.
    """

    def __init__(self) -> None:
        self._all = AsyncLimiter(FloodLimit.MESSAGES_PER_SECOND, 1)
        self._groups: dict[Chat, AsyncLimiter] = {}
        self._resume_at: dict[Chat, float] = {}

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def process_request(
        self,
        callback: Call,
        args: Any,
        kwargs: dict[str, Any],
        endpoint: str,
        data: dict[str, Any],
        rate_limit_args: int | None,
    ) -> Any:
        """Send one call, again after each refusal with 429 or a failure up to the limit of attempts.

        What may have been done is not sent again, unless it is an edit.
        """
        chat: Chat | None = data.get("chat_id") or data.get("inline_message_id")
        attempts = rate_limit_args or ATTEMPTS
        for attempt in range(1, attempts + 1):
            await self._wait(chat, 0 if attempts == ONE_ATTEMPT else MAX_WAIT_S)
            try:
                return await callback(*args, **kwargs)
            except RetryAfter as refusal:
                wait = refusal.retry_after
                wait_s = MARGIN_S + (wait.total_seconds() if isinstance(wait, timedelta) else wait)
                LOG.info("Telegram refused %s: retry after %.1f s", endpoint, wait_s)
                self._hold(chat, wait_s)
                if attempt == attempts or wait_s > MAX_WAIT_S:
                    raise
                if chat is None:
                    await asyncio.sleep(wait_s)
            except NetworkError as error:
                may_repeat = not isinstance(error, BadRequest) if endpoint.startswith("edit") else is_undelivered(error)
                if attempt == attempts or endpoint in COURTESIES or not may_repeat:
                    raise
                await asyncio.sleep(PAUSES_S[attempt - 1])
        return None

    async def _wait(self, chat: Chat | None, longest_s: float) -> None:
        """Wait until a call to this chat is allowed; raises RetryAfter if that takes longer than `longest_s`."""
        if chat is None:
            return
        if isinstance(chat, int) and chat < 0:
            await self._group(chat).acquire()
        while (wait_s := self._resume_at.get(chat, 0) - _now()) > 0:
            if wait_s > longest_s:
                raise RetryAfter(timedelta(seconds=ceil(wait_s)))
            await asyncio.sleep(wait_s)
        await self._all.acquire()

    def _hold(self, chat: Chat | None, wait_s: float) -> None:
        if chat is None:
            return
        if len(self._resume_at) >= MAX_CHATS:
            self._resume_at = {held: until for held, until in self._resume_at.items() if until > _now()}
        self._resume_at[chat] = max(self._resume_at.get(chat, 0), _now() + wait_s)

    def _group(self, chat: Chat) -> AsyncLimiter:
        if len(self._groups) >= MAX_CHATS:
            rate = FloodLimit.MESSAGES_PER_MINUTE_PER_GROUP
            self._groups = {key: limiter for key, limiter in self._groups.items() if not limiter.has_capacity(rate)}
        if chat not in self._groups:
            self._groups[chat] = AsyncLimiter(FloodLimit.MESSAGES_PER_MINUTE_PER_GROUP, GROUP_WINDOW_S)
        return self._groups[chat]


def is_undelivered(error: Exception) -> bool:
    """Whether Telegram refused temporarily or was not reached; after a later failure the call may have been done."""
    if isinstance(error, RetryAfter):
        return True
    if not isinstance(error, NetworkError) or isinstance(error, BadRequest):
        return False
    if isinstance(error.__cause__, NOT_CONNECTED):
        return True
    return error.__cause__ is None and not isinstance(error, TimedOut)


def _now() -> float:
    return asyncio.get_running_loop().time()


class Throttle:
    """The instants of the last updates of each person."""

    def __init__(self) -> None:
        self._instants: defaultdict[int, deque[datetime]] = defaultdict(deque)

    def excess(self, person: int, now: datetime) -> int:
        """Count an update at `now`: 0 within the limit, 1 for the first update beyond it, 2 for the others.

        Only the first update beyond the limit counts, so that the person can go on a minute after the others.
        """
        recent = self._instants[person]
        while recent and recent[0] <= now - WINDOW:
            recent.popleft()
        excess = max(len(recent) + 1 - UPDATES, 0)
        if excess < 2:
            recent.append(now)
        if len(self._instants) > MAX_PERSONS:
            for idle in [person for person, recent in self._instants.items() if recent[-1] <= now - WINDOW]:
                del self._instants[idle]
        return excess


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
