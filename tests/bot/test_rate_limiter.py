"""Telegram's limits: only the chat that Telegram names waits, and a long wait fails at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from telegram.error import BadRequest, NetworkError, RetryAfter, TimedOut

from bot import rate_limiter
from bot.rate_limiter import ONE_ATTEMPT, UPDATES, WINDOW, ChatRateLimiter, Throttle
from tests.bot.conftest import Person
from tests.bot.simulated_time import SimulatedLoop

ANN, BEN = 11, 22


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


def test_only_the_refused_chat_waits():
    async def calls(telegram: Telegram) -> None:
        await asyncio.gather(telegram.call(ANN), *(telegram.call(BEN) for _ in range(5)))

    telegram = Telegram(_11=0.2)
    asyncio.run(calls(telegram))
    assert telegram.answers == [BEN] * 5 + [ANN]
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


def test_a_group_gets_twenty_messages_a_minute():
    """On a simulated clock: the first twenty at once, the next after a part of the minute."""

    async def calls(telegram: Telegram) -> list[float]:
        loop, times = asyncio.get_running_loop(), []
        for _ in range(21):
            await telegram.call(-5)
            times.append(loop.time())
        return times

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        times = runner.run(calls(Telegram()))
    assert times[19] < 1 < times[20]


def test_a_call_at_once_waits_neither_before_nor_after_a_refusal():
    """An alert leaves its place to those of other chats."""

    async def calls(telegram: Telegram) -> float:
        for _ in range(2):
            with pytest.raises(RetryAfter):
                await telegram.call(ANN, ONE_ATTEMPT)
        await telegram.call(BEN, ONE_ATTEMPT)
        return asyncio.get_running_loop().time()

    telegram = Telegram(_11=30)
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        assert runner.run(calls(telegram)) < 1
    assert telegram.calls == {ANN: 1, BEN: 1}


def failing(endpoint: str, error: NetworkError) -> int:
    """How often a call is sent whose every attempt fails like this, on a simulated clock."""
    calls = []

    async def fail() -> None:
        calls.append(1)
        raise error

    async def send() -> None:
        with pytest.raises(NetworkError):
            await ChatRateLimiter().process_request(fail, (), {}, endpoint, {"chat_id": ANN}, None)

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(send())
    return len(calls)


@pytest.mark.parametrize(
    ("endpoint", "error", "count"),
    [
        ("sendMessage", NetworkError("Bad Gateway"), 3),
        ("sendPhoto", NetworkError("Bad Gateway"), 3),
        ("sendMessage", TimedOut(), 1),
        ("editMessageText", TimedOut(), 3),
        ("editMessageText", BadRequest("message to edit not found"), 1),
        ("sendChatAction", NetworkError("Bad Gateway"), 1),
        ("answerCallbackQuery", NetworkError("Bad Gateway"), 1),
    ],
)
def test_a_failed_call_is_repeated_where_it_cannot_double(endpoint, error, count):
    assert failing(endpoint, error) == count


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def excesses(throttle: Throttle, count: int, start: datetime = NOON, person: int = ANN) -> list[int]:
    """The excess of each of `count` updates, a second apart."""
    return [throttle.excess(person, start + timedelta(seconds=second)) for second in range(count)]


def test_the_first_update_beyond_the_limit_is_told_apart():
    """It is answered with a notice, those after it with nothing."""
    assert excesses(Throttle(), UPDATES + 3) == [0] * UPDATES + [1, 2, 2]


def test_a_minute_later_the_person_can_go_on():
    """The updates that were not answered do not count, however many there were."""
    throttle = Throttle()
    excesses(throttle, UPDATES + 20)
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 0


def test_updates_leave_the_window_one_by_one():
    throttle = Throttle()
    excesses(throttle, UPDATES)
    assert excesses(throttle, 2, NOON + WINDOW) == [0, 0]
    assert throttle.excess(ANN, NOON + WINDOW + timedelta(seconds=1)) == 1


def test_another_person_is_not_affected():
    throttle = Throttle()
    excesses(throttle, UPDATES + 5)
    assert throttle.excess(BEN, NOON) == 0


def test_only_persons_of_the_last_minute_are_remembered(monkeypatch):
    """So that strangers cannot fill the memory; who is over the limit stays over it."""
    monkeypatch.setattr(rate_limiter, "MAX_PERSONS", 2)
    throttle = Throttle()
    throttle.excess(BEN, NOON - WINDOW)
    excesses(throttle, UPDATES + 1)
    throttle.excess(3, NOON + timedelta(seconds=40))
    assert set(throttle._instants) == {ANN, 3}
    assert throttle.excess(ANN, NOON + timedelta(seconds=40)) == 2


FLOOD = "Too Many Requests"


def command(person: Person, text: str) -> dict:
    """An update with a command."""
    entity = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
    return {"message": person.message({"text": text, "entities": [entity]})}


@pytest.mark.slow
def test_a_flood_wait_of_one_chat_delays_no_other(ann, ben):
    """The handler of Ann's command waits with her chat; Ben is answered before her."""
    ann.stage.telegram.refuse("sendMessage", FLOOD, 429, retry_after=3, chat=ann.chat)
    ann.stage.receive(command(ann, "/help"), command(ben, "/help"))
    ann.stage.wait_for(lambda: ben.messages)
    assert ann.messages == []
    ann.stage.settle()
    assert len(ann.messages) == 1


@pytest.mark.slow
def test_updates_of_one_chat_are_handled_in_order(ann):
    """The first is refused and repeated; the second waits for it."""
    ann.stage.telegram.refuse("sendMessage", FLOOD, 429, retry_after=1, chat=ann.chat)
    ann.stage.receive(command(ann, "/privacy"), command(ann, "/nonsense"))
    ann.stage.wait_for(lambda: len(ann.messages) == 2)
    assert "Stored data" in ann.messages[0].plain
    assert "do not know this command" in ann.messages[1].plain
