"""Telegram's limits: only the chat that Telegram names waits, and a long wait fails at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from telegram.error import BadRequest, NetworkError, RetryAfter, TimedOut

from bot import rate_limiter
from bot.rate_limiter import ONE_ATTEMPT, UPDATES, WINDOW, ChatRateLimiter, Throttle
from tests.bot.conftest import Person
from tests.bot.simulated_time import SimulatedLoop

ANN, BEN = 11, 22
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Telegram:
    """Refuses the first calls of a chat with 429."""

    def __init__(self, **refusals: float) -> None:
        self.limiter = ChatRateLimiter()
        self.refusals = {int(chat[1:]): wait for chat, wait in refusals.items()}
        self.calls: Counter[int] = Counter()
        self.answers: list[int] = []

    async def call(self, chat: int, attempts: int | None = None) -> None:
        async def answer() -> None:
            self.calls[chat] += 1
            if wait := self.refusals.pop(chat, None):
                raise RetryAfter(timedelta(seconds=wait))
            self.answers.append(chat)

        await self.limiter.process_request(answer, (), {}, "sendMessage", {"chat_id": chat}, attempts)


def run(calls: Coroutine[Any, Any, float]) -> float:
    """What the calls return, on a simulated clock."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(calls)


def test_only_the_refused_chat_waits():
    """Later calls of the chat are not sent during the wait."""

    async def calls(telegram: Telegram) -> None:
        first = asyncio.create_task(telegram.call(ANN))
        while not (telegram.calls or first.done()):
            await asyncio.sleep(0)
        second = asyncio.create_task(telegram.call(ANN))
        await asyncio.gather(*(telegram.call(BEN) for _ in range(5)))
        assert telegram.calls[ANN] == 1
        await asyncio.gather(first, second)

    telegram = Telegram(_11=0.2)
    run(calls(telegram))
    assert telegram.answers == [BEN] * 5 + [ANN] * 2
    assert telegram.calls[ANN] == 3


@pytest.mark.parametrize(("wait_s", "attempts"), [(rate_limiter.MAX_WAIT_S + 60, None), (30, ONE_ATTEMPT)])
def test_a_long_wait_fails_without_another_call(wait_s, attempts):
    """So does each wait of an alert, which leaves its place to those of other chats."""

    async def calls(telegram: Telegram) -> float:
        for _ in range(2):
            with pytest.raises(RetryAfter):
                await telegram.call(ANN, attempts)
        await telegram.call(BEN, attempts)
        return asyncio.get_running_loop().time()

    telegram = Telegram(_11=wait_s)
    assert run(calls(telegram)) < 1
    assert telegram.calls == {ANN: 1, BEN: 1}


def test_a_group_gets_twenty_messages_a_minute():
    """The first twenty at once, the next after a part of the minute."""

    async def calls(telegram: Telegram, count: int) -> float:
        for _ in range(count):
            await telegram.call(-5)
        return asyncio.get_running_loop().time()

    assert run(calls(Telegram(), 20)) < 1 < run(calls(Telegram(), 21))


@pytest.mark.parametrize(
    ("endpoint", "error", "count"),
    [
        ("sendMessage", NetworkError("Bad Gateway"), 3),
        ("sendPhoto", NetworkError("Bad Gateway"), 3),
        ("sendMessage", TimedOut(), 1),
        ("getChatMember", NetworkError("Bad Gateway"), 3),
        ("editMessageText", TimedOut(), 3),
        ("editMessageText", BadRequest("message to edit not found"), 1),
        ("sendChatAction", NetworkError("Bad Gateway"), 1),
        ("answerCallbackQuery", NetworkError("Bad Gateway"), 1),
    ],
)
def test_a_failed_call_is_repeated_where_it_cannot_double(endpoint, error, count):
    calls = []

    async def fail() -> None:
        calls.append(1)
        raise error

    with pytest.raises(NetworkError):
        run(ChatRateLimiter().process_request(fail, (), {}, endpoint, {"chat_id": ANN}, None))
    assert len(calls) == count


def excesses(throttle: Throttle, count: int, start: datetime = NOON, person: int = ANN) -> list[int]:
    """The excess of each of `count` updates, a second apart."""
    return [throttle.excess(person, start + timedelta(seconds=second)) for second in range(count)]


def test_the_first_update_beyond_the_limit_is_told_apart():
    """It alone is answered, another person is not affected; a minute later those without an answer do not count."""
    throttle = Throttle()
    assert excesses(throttle, UPDATES + 3) == [0] * UPDATES + [1, 2, 2]
    assert throttle.excess(BEN, NOON) == 0
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 0


def test_updates_leave_the_window_one_by_one():
    throttle = Throttle()
    excesses(throttle, UPDATES)
    assert excesses(throttle, 2, NOON + WINDOW) == [0, 0]
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 1


def test_only_persons_of_the_last_minute_are_remembered(monkeypatch):
    """So that strangers cannot fill the memory; who is over the limit stays over it."""
    monkeypatch.setattr(rate_limiter, "MAX_PERSONS", 2)
    throttle = Throttle()
    throttle.excess(BEN, NOON - WINDOW)
    excesses(throttle, UPDATES + 1)
    throttle.excess(3, NOON + timedelta(seconds=40))
    assert set(throttle._instants) == {ANN, 3}
    assert throttle.excess(ANN, NOON + timedelta(seconds=40)) == 2


def command(person: Person, text: str) -> dict:
    entity = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
    return {"message": person.message({"text": text, "entities": [entity]})}


@pytest.mark.slow
def test_a_flood_wait_of_one_chat_delays_no_other(ann, ben):
    """The handler of Ann's commands waits with her chat; Ben is answered before her, and she in order."""
    ann.stage.telegram.refuse("sendMessage", "Too Many Requests", 429, retry_after=3, chat=ann.chat)
    for update in (command(ann, "/privacy"), command(ann, "/nonsense"), command(ben, "/help")):
        ann.stage.application.update_queue.put_nowait(ann.stage.update(update))
    ann.stage.wait_for(lambda: ben.messages)
    assert ann.messages == []
    ann.stage.wait_for(lambda: len(ann.messages) == 2)
    assert "Stored data" in ann.messages[0].plain
    assert "do not know this command" in ann.messages[1].plain
