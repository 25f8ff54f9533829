"""The real bot over the real service in one process; only Telegram is ours."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from telegram import Update
from telegram.ext import Application

from bot.application import build
from bot.settings import Settings
from service.store import keys
from service.store.secret import key_secret
from tests.bot.recording import Shown, Telegram
from tests.houses import Residents, resident

PATIENCE_S = 10
ADDRESSES = (f"10.{number // 65536}.{number // 256 % 256}.{number % 256}" for number in count(1))
PERSONS = count(1000)
GROUPS = count(-5000, -1)


@dataclass
class Stage:
    """A bot that runs, and everything that was said to it and by it."""

    application: Application
    telegram: Telegram
    runner: asyncio.Runner
    tasks: set[asyncio.Task]
    updates: count = field(default_factory=lambda: count(1))

    def person(self, chat: int | None = None) -> Person:
        """Somebody new, in their private chat or in a group."""
        number = next(PERSONS)
        return Person(self, number, chat or number)

    def bring(self, what: dict[str, Any], *, settle: bool = True) -> None:
        """An update from Telegram; without `settle` what goes on by itself is left to go on."""
        update = Update.de_json({"update_id": next(self.updates), **what}, self.application.bot)
        self.runner.run(self.application.process_update(update))
        if settle:
            self.settle()

    def settle(self) -> None:
        """Let everything that goes on by itself come to its end."""
        self.runner.run(self._settle())

    def wait_for(self, is_so: Callable[[], Any]) -> Any:
        """What `is_so` gives, once it is something, while the bot goes on."""
        return self.runner.run(self._wait_for(is_so))

    async def _settle(self) -> None:
        while self.tasks:
            await asyncio.wait(self.tasks, timeout=PATIENCE_S)

    async def _wait_for(self, is_so: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while not (found := is_so()):
            assert time.monotonic() < deadline, "waited in vain"
            await asyncio.sleep(0.005)
        return found


@dataclass
class Person:
    """Somebody in a chat with the bot."""

    stage: Stage
    id: int
    chat: int

    def says(self, text: str, **options: Any) -> Shown | None:
        """Send a text, a command where it begins with a slash; gives the newest message of the bot."""
        command = [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}] if text[:1] == "/" else []
        return self.sends(text=text, entities=command, **options)

    def sends(self, *, settle: bool = True, **content: Any) -> Shown | None:
        self.stage.bring({"message": self._message(content)}, settle=settle)
        return self.newest

    def presses(self, label: str, on: Shown | None = None, **options: Any) -> Shown:
        """Press a button of a message, the newest that has it if none is given; gives that message."""
        shown = on or next(one for one in reversed(self.messages) if label in one.buttons)
        self.sends_data(shown.buttons[label], shown, **options)
        return shown

    def sends_data(self, data: str, shown: Shown, *, settle: bool = True) -> None:
        """Press a button that carries `data`."""
        query = f"query-{next(self.stage.updates)}"
        self.stage.telegram.pressed.add(query)
        message = self._message({"text": shown.plain, "from": {"id": 99, "is_bot": True, "first_name": "Ninefold"}})
        message |= {"message_id": shown.id}
        pressed = {"id": query, "from": self._who(), "chat_instance": "1", "data": data, "message": message}
        self.stage.bring({"callback_query": pressed}, settle=settle)

    @property
    def messages(self) -> list[Shown]:
        """What the bot wrote in this chat."""
        return [shown for (chat, _), shown in self.stage.telegram.chats.items() if chat == self.chat]

    @property
    def newest(self) -> Shown | None:
        return self.messages[-1] if self.messages else None

    def _message(self, content: dict[str, Any]) -> dict[str, Any]:
        kind = {"type": "private"} if self.chat > 0 else {"type": "supergroup", "title": "A group"}
        number = next(self.stage.updates) + 100_000
        return {"message_id": number, "date": 1, "chat": {"id": self.chat, **kind}, "from": self._who(), **content}

    def _who(self) -> dict[str, Any]:
        return {"id": self.id, "is_bot": False, "first_name": "Ann <b>& Co"}


@pytest.fixture(scope="session")
def furnished(tmp_path_factory) -> Iterator[Residents]:
    """A service after its first start in the simulated world; each test comes from an address of its own."""
    with resident(tmp_path_factory.mktemp("house"), history_days=60) as residents:
        residents.work()
        yield residents


@pytest.fixture(scope="session")
def web(furnished: Residents) -> Flask:
    return furnished.house.application()


@pytest.fixture(scope="session")
def oracle_key(furnished: Residents) -> str:
    """A delegating key, as the operator mints it."""
    with furnished.house.database.writing() as db:
        secret = key_secret(furnished.house.settings)
        return keys.register(db, secret, "bot@example.com", furnished.wall, delegating=True)[0]


@pytest.fixture
def settings(tmp_path: Path, oracle_key: str) -> Settings:
    return Settings("123:token", oracle_key, oracle_url="http://ninefold", bot_data=tmp_path)


@pytest.fixture
def start(settings: Settings, web: Flask, furnished: Residents, monkeypatch) -> Iterator[Callable[..., Stage]]:
    """Starts a bot: over the real service, or over another `app`, or with other settings."""
    tasks: set[asyncio.Task] = set()
    monkeypatch.setattr(Application, "create_task", _noting(Application.create_task, tasks))
    with ExitStack() as stack:

        def start(app: Callable | None = None, **changed: Any) -> Stage:
            transport = httpx.WSGITransport(app or web, remote_addr=next(ADDRESSES), raise_app_exceptions=False)
            options = {"transport": None if "oracle_url" in changed else transport}
            return stack.enter_context(running(replace(settings, **changed), tasks, furnished, **options))

        yield start


@pytest.fixture
def stage(start: Callable[..., Stage]) -> Stage:
    return start()


@pytest.fixture
def ann(stage: Stage) -> Person:
    return stage.person()


@pytest.fixture
def ben(stage: Stage) -> Person:
    return stage.person()


@pytest.fixture
def group() -> int:
    return next(GROUPS)


@contextmanager
def running(settings: Settings, tasks: set[asyncio.Task], residents: Residents, **options: Any) -> Iterator[Stage]:
    """A bot from its start to its orderly end, after which nothing may be left that Telegram would have refused."""
    telegram = Telegram()
    now = lambda: datetime.fromtimestamp(residents.wall, UTC)  # noqa: E731
    with asyncio.Runner() as runner:
        application = build(settings, request=telegram, now=now, **options)
        stage = Stage(application, telegram, runner, tasks)
        runner.run(application.initialize())
        runner.run(application.post_init(application))
        runner.run(application.start())
        try:
            yield stage
        finally:
            runner.run(application.stop())
            runner.run(application.shutdown())
            runner.run(application.post_shutdown(application))
    assert telegram.faults == []


def _noting(create: Callable[..., asyncio.Task], tasks: set[asyncio.Task]) -> Callable[..., asyncio.Task]:
    """`create_task` that notes every task until it is done."""

    def create_task(*arguments: Any, **options: Any) -> asyncio.Task:
        task = create(*arguments, **options)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    return create_task
