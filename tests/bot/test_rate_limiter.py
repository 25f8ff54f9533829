"""Telegram's limits: only the chat that Telegram names waits, and a long wait fails at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta

import pytest
from telegram.error import RetryAfter

from bot import rate_limiter
from bot.rate_limiter import AT_ONCE, ChatRateLimiter
from tests.bot.simulated_time import SimulatedLoop

ANN, BEN = 11, 22


class Telegram:
    """Refuses the first calls of a chat with 429."""

    def __init__(self, **refusals: float) -> None:
        self.limiter = ChatRateLimiter()
        self.refusals = {int(chat[1:]): wait for chat, wait in refusals.items()}
        self.calls: Counter[int] = Counter()
        self.answered: list[int] = []

    async def call(self, chat: int, attempts: int | None = None) -> None:
        async def answer() -> None:
            self.calls[chat] += 1
            if wait := self.refusals.pop(chat, None):
                raise RetryAfter(timedelta(seconds=wait))
            self.answered.append(chat)

        await self.limiter.process_request(answer, (), {}, "sendMessage", {"chat_id": chat}, attempts)


def test_only_the_refused_chat_waits():
    async def calls(telegram: Telegram) -> None:
        await asyncio.gather(telegram.call(ANN), *(telegram.call(BEN) for _ in range(5)))

    telegram = Telegram(_11=0.2)
    asyncio.run(calls(telegram))
    assert telegram.answered == [BEN] * 5 + [ANN]
    assert telegram.calls[ANN] == 2


def test_later_calls_of_the_chat_wait_too():
    """They are not sent during the wait."""

    async def calls(telegram: Telegram) -> None:
        first = asyncio.create_task(telegram.call(ANN))
        while not telegram.calls:
            await asyncio.sleep(0)
        second = asyncio.create_task(telegram.call(ANN))
        await asyncio.sleep(0)
        assert telegram.calls[ANN] == 1
        await asyncio.gather(first, second)

    telegram = Telegram(_11=0.2)
    asyncio.run(calls(telegram))
    assert telegram.calls[ANN] == 3


def test_a_long_wait_fails_without_another_call():
    async def calls(telegram: Telegram) -> None:
        for _ in range(2):
            with pytest.raises(RetryAfter):
                await telegram.call(ANN)
        await telegram.call(BEN)

    telegram = Telegram(_11=rate_limiter.MAX_WAIT_S + 60)
    asyncio.run(calls(telegram))
    assert telegram.calls == {ANN: 1, BEN: 1}


def test_a_group_gets_twenty_messages_a_minute(monkeypatch):
    monkeypatch.setattr(rate_limiter, "GROUP_WINDOW_S", 0.5)

    async def calls(telegram: Telegram) -> float:
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(telegram.call(-5) for _ in range(21)))
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(calls(Telegram())) > 0.02


def test_a_call_at_once_waits_neither_before_nor_after_a_refusal():
    """An alert leaves its place to those of other chats."""

    async def calls(telegram: Telegram) -> float:
        for _ in range(2):
            with pytest.raises(RetryAfter):
                await telegram.call(ANN, AT_ONCE)
        await telegram.call(BEN, AT_ONCE)
        return asyncio.get_running_loop().time()

    telegram = Telegram(_11=30)
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        assert runner.run(calls(telegram)) < 1
    assert telegram.calls == {ANN: 1, BEN: 1}
