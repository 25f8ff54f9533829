"""The real bot and the real service in one process, with a fake Telegram."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count, repeat
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from telegram import Update
from telegram.ext import Application

from bot import charts
from bot.application import build
from bot.context import DrawingThread, SharedState
from bot.settings import BotSettings
from bot.store import Store
from service.store import keys
from service.store.secret import key_secret
from tests.bot.fake_telegram import ME, ChatMessage, FakeTelegram
from tests.processes import PATIENCE_S
from tests.running_service import RunningService, copied, running_service

QUESTION = "Will Bitcoin be above $60k at the end of the month?"
TURNOUT = "of 9 voted"  # in every answer
ADDRESSES = (f"10.{number // 65536}.{number // 256 % 256}.{number % 256}" for number in count(1))
PERSONS = count(1000)
GROUPS = count(-5000, -1)


@dataclass
class Stage:
    """A running bot and its chats."""

    application: Application
    telegram: FakeTelegram
    runner: asyncio.Runner
    tasks: set[asyncio.Task]
    updates: count = field(default_factory=lambda: count(1))

    @property
    def state(self) -> SharedState:
        return self.application.bot_data["state"]

    def person(self, chat: int | None = None) -> Person:
        """A new person, in their private chat or in a group."""
        number = next(PERSONS)
        return Person(self, number, chat or number)

    def update(self, content: dict[str, Any]) -> Update:
        return Update.de_json({"update_id": next(self.updates), **content}, self.application.bot)

    def deliver(self, content: dict[str, Any], *, settle: bool = True) -> None:
        """Deliver an update of Telegram; with `settle`, wait for everything it starts."""
        self.runner.run(self.application.process_update(self.update(content)))
        if settle:
            self.settle()

    def settle(self) -> None:
        """Wait until all tasks of the bot are done."""
        self.wait_for(lambda: not self.tasks)

    def work(self, name: str = "_watch") -> None:
        """One run of a job of the bot, and of everything it starts."""
        (job,) = self.application.job_queue.get_jobs_by_name(name)
        self.runner.run(job.run(self.application))
        self.settle()

    def wait_for(self, condition: Callable[[], Any]) -> Any:
        """The first true value of `condition`, while the bot runs."""
        return self.runner.run(self._wait_for(condition))

    async def _wait_for(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while not (value := condition()):
            assert time.monotonic() < deadline, "the condition is still false"
            await asyncio.sleep(0.005)
        return value


@dataclass
class Person:
    """A person in a chat with the bot; `language` is that of their Telegram."""

    stage: Stage
    id: int
    chat: int
    language: str | None = None

    def says(self, text: str, **options: Any) -> ChatMessage | None:
        """Send a text, or a command if it starts with a slash; returns the bot's newest message."""
        command = [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}] if text[:1] == "/" else []
        return self.sends(text=text, entities=command, **options)

    def sends(self, *, settle: bool = True, **content: Any) -> ChatMessage | None:
        self.stage.deliver({"message": self.message(content)}, settle=settle)
        return self.newest

    def presses(self, *labels: str, on: ChatMessage | None = None, **options: Any) -> ChatMessage:
        """Press buttons of a message, each by default of the newest that has it; returns the message of the last."""
        for label in labels:
            reply = on or next(message for message in reversed(self.messages) if label in message.buttons)
            self.sends_data(reply.buttons[label], reply, **options)
        return reply

    def sends_data(self, data: str, reply: ChatMessage, *, settle: bool = True) -> None:
        message = self.message({"text": reply.plain, "from": ME, "message_id": reply.id})
        self.press(data, settle=settle, message=message)

    def press(self, data: str, *, settle: bool = True, **place: Any) -> None:
        """A press with this data; `place` is the message, or its number if it was sent inline."""
        query = f"query-{next(self.stage.updates)}"
        self.stage.telegram.pressed.add(query)
        press = {"id": query, "from": self.user(), "chat_instance": "1", "data": data, **place}
        self.stage.deliver({"callback_query": press}, settle=settle)

    def types(self, text: str, **options: Any) -> list[dict[str, Any]]:
        """Type a text after the bot's name in any chat; returns the offered articles."""
        query = {"id": f"{next(self.stage.updates)}", "from": self.user(), "query": text, "offset": ""}
        self.stage.deliver({"inline_query": query}, **options)
        return self.stage.telegram.offered

    def chooses(self, offer: dict[str, Any], *, is_reported: bool = True) -> ChatMessage:
        """Send an offered article; Telegram reports it to the bot if that was set up."""
        reply = self.stage.telegram.send_inline(offer)
        result = {"result_id": offer["id"], "from": self.user(), "query": "", "inline_message_id": str(reply.id)}
        if is_reported:
            self.stage.deliver({"chosen_inline_result": result})
        return reply

    def presses_inline(self, label: str, reply: ChatMessage, **options: Any) -> None:
        self.press(reply.buttons[label], inline_message_id=str(reply.id), **options)

    def questions_left(self) -> int:
        """How many of the ten questions of today /quota says are left."""
        return int(self.says("/quota").plain.partition(" of 10 questions left")[0])

    @property
    def messages(self) -> list[ChatMessage]:
        """The bot's messages in this chat."""
        return [reply for (chat, _), reply in self.stage.telegram.chats.items() if chat == self.chat]

    @property
    def newest(self) -> ChatMessage | None:
        return self.messages[-1] if self.messages else None

    def message(self, content: dict[str, Any]) -> dict[str, Any]:
        kind = {"type": "private"} if self.chat > 0 else {"type": "supergroup", "title": "A group"}
        number = next(self.stage.updates) + 100_000
        return {"message_id": number, "date": 1, "chat": {"id": self.chat, **kind}, "from": self.user(), **content}

    def user(self) -> dict[str, Any]:
        language = {"language_code": self.language} if self.language else {}
        return {"id": self.id, "is_bot": False, "first_name": "Ann <b>& Co", **language}


class InThreads(httpx.AsyncBaseTransport):
    """A transport that waits, in threads."""

    def __init__(self, transport: httpx.BaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        response = await asyncio.to_thread(self._transport.handle_request, request)
        return httpx.Response(response.status_code, headers=response.headers, stream=_Pieces(response.stream))


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = iter(self._stream)
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece

    async def aclose(self) -> None:
        await asyncio.to_thread(self._stream.close)


@pytest.fixture(scope="session")
def service(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    """A service after its first start; every bot calls it from an address of its own."""
    with running_service(copied(seeded, tmp_path_factory.mktemp("bot"))) as running:
        yield running


@pytest.fixture(scope="session")
def web(service: RunningService) -> Flask:
    return service.runtime.application()


@pytest.fixture(scope="session")
def oracle_key(service: RunningService) -> str:
    with service.runtime.database.writing() as db:
        secret = key_secret(service.runtime.settings)
        return keys.register_key(db, secret, "bot@example.com", service.wall, delegating=True)[0]


@pytest.fixture
def settings(tmp_path: Path, oracle_key: str) -> BotSettings:
    return BotSettings("123:token", oracle_key, oracle_url="http://ninefold", bot_data=tmp_path)


@pytest.fixture
def start(settings: BotSettings, web: Flask, service: RunningService, monkeypatch) -> Iterator[Callable[..., Stage]]:
    """Starts a bot, by default over the real service; `app` and the settings can be replaced."""
    tasks: set[asyncio.Task] = set()
    create = Application.create_task

    def create_task(*arguments: Any, **options: Any) -> asyncio.Task:
        task = create(*arguments, **options)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    monkeypatch.setattr(Application, "create_task", create_task)
    with ExitStack() as stack:

        def start(app: Callable | None = None, *, charts_follow: bool = False, **changes: Any) -> Stage:
            transport = httpx.WSGITransport(app or web, remote_addr=next(ADDRESSES), raise_app_exceptions=False)
            options = {} if "oracle_url" in changes else {"transport": InThreads(transport)}
            changed_settings = replace(settings, **changes)
            return stack.enter_context(running(changed_settings, tasks, service, charts_follow, **options))

        yield start


@pytest.fixture
def stage(start: Callable[..., Stage]) -> Stage:
    return start()


@pytest.fixture
def store(stage: Stage) -> Store:
    return stage.state.store


@pytest.fixture
def ann(stage: Stage) -> Person:
    return stage.person()


@pytest.fixture
def ben(stage: Stage) -> Person:
    return stage.person()


@pytest.fixture
def group() -> int:
    return next(GROUPS)


@pytest.fixture
def clock(service: RunningService, monkeypatch) -> RunningService:
    """The service, whose `wall` a test moves; it goes back afterwards."""
    monkeypatch.setattr(service, "wall", service.wall)
    return service


def refusing(
    web: Flask | None, pattern: str, status: int = 503, code: str = "busy", times: int | None = None, **parts: Any
) -> Callable:
    """The service, which refuses requests whose address has `pattern`, the first `times` or all, with a problem."""
    problem = {"status": status, "code": code, "detail": "No."} | parts
    refusals = repeat(True) if times is None else repeat(True, times)

    def app(environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        address = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"
        if not (re.search(pattern, address) and next(refusals, False)):
            return web(environ, start_response)
        start_response(f"{status} Refused", [("Content-Type", "application/problem+json")])
        return [json.dumps(problem).encode()]

    return app


@contextmanager
def running(
    settings: BotSettings, tasks: set[asyncio.Task], service: RunningService, charts_follow: bool, **options: Any
) -> Iterator[Stage]:
    """A bot from start to shutdown; fails if it sent anything that Telegram would refuse.

    Without `charts_follow` its drawing thread counts as busy: a chart comes only when its button is pressed.
    """
    telegram = FakeTelegram()
    with asyncio.Runner() as runner:
        now = lambda: datetime.fromtimestamp(service.wall, UTC)  # noqa: E731
        stage = Stage(build(settings, request=telegram, now=now, **options), telegram, runner, tasks)
        application = stage.application
        if not charts_follow:
            application.bot_data["state"] = replace(stage.state, drawing=DrawingThread(0))
        runner.run(application.initialize())
        runner.run(application.post_init(application))
        runner.run(_start(application))
        try:
            yield stage
        finally:
            runner.run(application.stop())
            runner.run(application.shutdown())
            runner.run(application.post_shutdown(application))
    assert telegram.faults == []


async def _start(application: Application) -> None:
    """Start the application without its watcher: a test runs each pass when it needs one."""
    application.job_queue.scheduler.start(paused=True)
    await application.start()


@pytest.fixture
def drawn(monkeypatch) -> list[tuple]:
    """The values that every chart was drawn from; nothing is drawn."""
    values: list[tuple] = []
    for name in ("price", "forecast", "answer"):
        monkeypatch.setattr(charts, name, lambda *inputs, name=name: values.append((name, *inputs)) or b"\x89PNG")
    return values
