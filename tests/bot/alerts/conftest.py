"""A watcher with a fake service, a fake Telegram, its real store, and a clock that a test sets."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.alerts import delivery, watch
from bot.alerts.delivery import send_queue
from bot.rate_limiter import ONE_ATTEMPT
from bot.store import Store, Target
from service.client import ConnectionFailed
from tests.bot import documents
from tests.bot.documents import iso

ANN, BEN, CID = 11, 22, 33
START = datetime(2026, 11, 21, 12, 10, tzinfo=UTC)
DOWN = ConnectionFailed("No connection to http://127.0.0.1:8000: refused.")
SentAlert = tuple[int, str, bool]  # the chat, the text, and whether it was silent


def challenge(number: int, status: str = "resolved", outcome: str | None = "yes") -> dict[str, Any]:
    """The API's document of a challenge, resolved by default."""
    document = documents.challenge(number=number, id=f"challenge-{number}", status=status)
    if outcome:
        evidence = "The price was 53,600 USD."
        document["resolution"] |= {"outcome": outcome, "resolved_at": iso(START), "evidence": evidence}
    return document


class FakeTelegram:
    """Records the messages of each chat, and raises the errors set for a chat instead."""

    def __init__(self) -> None:
        self.sent: list[SentAlert] = []
        self.errors: dict[int, list[BaseException]] = {}

    async def send_message(
        self, chat_id: int, text: str, *, disable_notification: bool, rate_limit_args: int, **_options: None
    ) -> None:
        assert rate_limit_args == ONE_ATTEMPT
        assert 0 < len(text) <= 4096
        if self.errors.get(chat_id):
            raise self.errors[chat_id].pop(0)
        self.sent.append((chat_id, text, disable_notification))

    def chats(self) -> list[int]:
        return [chat for chat, _, _ in self.sent]


class FakeService:
    """Answers with example documents that a test can change; `broken` holds errors by method, `calls` every call."""

    def __init__(self) -> None:
        names = ("widget", "battle", "ai_vs_market", "challenges", "predictions", "prices")
        self.documents: dict[str, dict[str, Any]] = {name: getattr(documents, name.upper()) for name in names}
        self.documents["resolved_markets"] = documents.week(40)
        self.documents["challenges"]["challenges"] = []
        self.documents["predictions"]["markets"] = []
        self.markets: dict[str, dict[str, Any] | Exception] = {}
        self.answers: dict[tuple[int, str], dict[str, Any] | Exception] = {}
        self.broken: dict[str, BaseException] = {}
        self.bars: list[dict[str, Any]] = []
        self.calls: list[str] = []

    def consensus(self, direction: str, voted_at: datetime) -> None:
        """The consensus is `direction` since `voted_at`."""
        self.documents["widget"]["consensus"] |= {"direction": direction, "voted_at": iso(voted_at)}

    def set_world(self, world: str) -> None:
        for document in self.documents.values():
            document["world"] = world

    async def _answer(self, name: str) -> dict[str, Any]:
        self.calls.append(name)
        if name in self.broken:
            raise self.broken[name]
        return copy.deepcopy(self.documents[name])

    def __getattr__(self, name: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        """The method that reads the document of this name."""
        if name not in self.documents:
            raise AttributeError(name)
        return partial(self._answer, name)

    async def candles(self, asset: str, interval: str, since: str) -> dict[str, Any]:
        self.calls.append(f"candles {asset} {interval}")
        return {"bars": [bar for bar in self.bars if bar["time"] >= since]}

    async def market(self, market_id: str) -> dict[str, Any]:
        return self._single(f"market {market_id}", self.markets.get(market_id, DOWN))

    def for_user(self, user_id: int) -> SimpleNamespace:
        """The service on behalf of a person, who reads only their own answers."""

        async def answer(answer_id: str) -> dict[str, Any]:
            return self._single(f"answer {answer_id}", self.answers.get((user_id, answer_id), DOWN))

        return SimpleNamespace(answer=answer)

    def _single(self, call: str, answer: dict[str, Any] | Exception) -> dict[str, Any]:
        self.calls.append(call)
        if isinstance(answer, Exception):
            raise answer
        return copy.deepcopy(answer)


class World:
    """The parts of a watcher, and the time they share."""

    def __init__(self, file: Path) -> None:
        self.file, self.now = file, START
        self.service, self.telegram = FakeService(), FakeTelegram()
        self.store = self.open()

    def open(self) -> Store:
        """The store, opened again as by another process."""
        return Store(self.file, lambda: self.now)

    def restart(self) -> None:
        self.store.close()
        self.store = self.open()

    def check(self, *, after: timedelta = timedelta(minutes=1)) -> list[SentAlert]:
        """What one pass sends that runs `after` the current time."""
        self.now += after
        before = len(self.telegram.sent)
        with asyncio.Runner() as runner:
            runner.run(watch(self.service, self.store, self.now))
            runner.run(send_queue(self.telegram, self.store))
        return self.telegram.sent[before:]

    @property
    def quote(self) -> dict[str, Any]:
        """The quote of Bitcoin, which a test can change."""
        return self.service.documents["prices"]["prices"][0]

    def flip(self, direction: str | None = None) -> list[SentAlert]:
        """What the next pass sends after a vote in this direction, by default one for the other side."""
        side = self.service.documents["widget"]["consensus"]["direction"]
        other = "BEARISH" if side == "BULLISH" else "BULLISH"
        self.service.consensus(direction or other, self.now + timedelta(seconds=5))
        return self.check()

    def author(self, user: int, number: int) -> None:
        """A challenge of this person, who follows it."""
        self.store.remember_challenge(user, user, number)
        self.store.follow(user, user, Target("market", f"challenge-{number}"))

    def subscribe(self, event: str, *users: int, state: str = "on") -> None:
        for user in users:
            self.store.set_switch(user, user, event, state)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "bot.sqlite")
    yield world
    world.store.close()


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    """Alerts are sent as fast as they can be."""
    monkeypatch.setattr(delivery, "ALERTS_PER_SECOND", 100_000)
