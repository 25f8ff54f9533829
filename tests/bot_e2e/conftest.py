"""Telegram, the service and the bot, each in a process of its own, started once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.measure import servers
from tests.models import waits_for
from tests.npm import installed
from tests.processes import free_port, running, wait_until_ready
from tests.sources.llm.model_server import ModelServer, answers, serving, vote_text

StartBot = Callable[..., AbstractContextManager[str]]


@dataclass(frozen=True)
class Service:
    """A running service: where it is, the bot's key, and the model in one of its seats."""

    address: str
    key: str
    model: ModelServer


@pytest.fixture(scope="session")
def telegram(tmp_path_factory) -> Iterator[Telegram]:
    """A Telegram server on this machine, with the packages of the lock file."""
    folder, port, log = Path(__file__).parent, free_port(), tmp_path_factory.mktemp("telegram") / "log"
    with running([installed(folder), str(folder / "telegram.cjs"), str(port)], log) as process:
        wait_until_ready(port, process, log, "/calls?since=0&seconds=0")
        server = Telegram(f"http://127.0.0.1:{port}")
        with server.http:
            yield server


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Service]:
    """A complete service in the simulated world, with a language model in its first seat."""
    folder, port = tmp_path_factory.mktemp("service"), free_port()
    settings = {"PORT": str(port), "DATA_DIR": str(folder), "HISTORY_DAYS": "60", "WORLD": "simulated"}
    with serving() as model:
        seat = {"ORACLE_MOMENTUM_MODEL": "openai:gpt-5-mini", "ORACLE_MOMENTUM_BASE_URL": model.address}
        with running([sys.executable, "app.py"], folder / "log", **settings, **seat) as process:
            wait_until_ready(port, process, folder / "log")
            yield Service(f"http://127.0.0.1:{port}", servers.key(settings), model)
            assert process.poll() is None, f"the service ended with {process.returncode}"


@pytest.fixture(scope="session")
def start_bot(telegram: Telegram, service: Service) -> StartBot:
    """Start a bot with its data in a folder; a second start with the same folder is the same bot. Gives its token."""

    @contextmanager
    def start(folder: Path, killed: bool = False) -> Iterator[str]:
        """A bot that is `killed` at the end has no time to save anything."""
        token = f"666:{folder.name:_<35}"
        settings = {"TELEGRAM_BOT_TOKEN": token, "TELEGRAM_URL": telegram.bots, "BOT_ORACLE_KEY": service.key}
        settings |= {"ORACLE_URL": service.address, "BOT_DATA": str(folder)}
        log, since = folder / "log", len(telegram.calls)
        with running([sys.executable, "-m", "bot"], log, **settings) as process:
            telegram.wait_for(
                lambda: process.poll() is not None or token in {call.bot for call in telegram.calls[since:]}
            )
            assert process.poll() is None, log.read_text()
            yield token
            if killed:
                process.kill()

    return start


@pytest.fixture(scope="session")
def bot(start_bot: StartBot, tmp_path_factory) -> Iterator[str]:
    """The token of the bot that most tests use."""
    with start_bot(tmp_path_factory.mktemp("bot")) as token:
        yield token


@pytest.fixture
def person(telegram: Telegram, bot: str) -> Person:
    """A person who has never used the bot."""
    return telegram.person(bot)


@pytest.fixture
def slow_model(service: Service) -> Iterator[threading.Event]:
    """The model in the first seat does not answer before the event is set."""
    release, model = threading.Event(), service.model
    model.behaviours = [waits_for(release, vote_text(reasoning="Momentum <b>is</b> up & away."))]
    yield release
    release.set()
    model.behaviours = [answers(vote_text())]
