"""The service as the bot sees it: who is told to it, what is asked once for everybody, and what a bot may import."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from bot.service import SECRET_FILE, Service
from bot.settings import Settings

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Recorded:
    """A transport that answers everything with an empty document, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[httpx.Request] = []
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return httpx.Response(200, json={})

    def headers(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.asked]


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings("123:token", "key", bot_data=tmp_path)


@pytest.fixture
def make(settings: Settings, recorded: Recorded, clock: Clock) -> Callable[[], Service]:
    return lambda: Service(settings, transport=recorded.transport, now=clock)


def test_a_person_is_told_by_a_code_that_says_nothing_and_stays(make, recorded):
    for service in (make(), make()):
        asyncio.run(service.for_user(4711).usage())
    asyncio.run(make().for_user(4712).usage())
    mine, still, another = recorded.headers("X-End-User")
    assert mine == still != another
    assert "4711" not in mine
    assert len(mine) == 64
    assert set(recorded.headers("X-API-Key")) == {"key"}


def test_the_secret_is_made_once_and_for_its_owner_alone(make, settings):
    make()
    file = settings.bot_data / SECRET_FILE
    before = file.read_bytes()
    make()
    assert file.read_bytes() == before
    assert len(before) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_everybody_may_see_is_asked_without_a_key(make, recorded):
    service = make()
    for call in (service.battle, service.hospital, service.news, service.widget, service.challenges):
        asyncio.run(call())
    assert recorded.headers("X-API-Key") == [None] * 5
    assert recorded.headers("X-End-User") == [None] * 5


def test_what_many_look_at_is_asked_once_in_ten_seconds(make, recorded, clock):
    async def look() -> None:
        service = make()
        await asyncio.gather(*(service.battle() for _ in range(20)))
        clock.time += timedelta(seconds=9)
        await service.battle()
        assert len(recorded.asked) == 1
        clock.time += timedelta(seconds=1)
        await service.battle()
        assert len(recorded.asked) == 2

    asyncio.run(look())


def test_what_costs_a_call_is_asked_at_most_four_times_an_hour_in_nobodys_name(make, recorded, clock):
    async def look() -> None:
        service = make()
        for _ in range(24 * 60):
            await service.leaderboard("btc")
            clock.time += timedelta(minutes=1)

    asyncio.run(look())
    names = recorded.headers("X-End-User")
    assert len(names) == 96
    assert max(names.count(name) for name in names) <= 4


def test_a_challenge_is_never_shown_from_memory(make, recorded):
    service = make()
    for _ in range(2):
        asyncio.run(service.challenge(7))
    assert len(recorded.asked) == 2


def test_the_bot_needs_nothing_of_the_service_but_its_client():
    """It loads neither Flask nor SQLAlchemy, and starts without them."""
    unwanted = ("flask", "sqlalchemy", "pydantic", "service.config", "service.errors", "service.api", "service.store")
    script = f"import sys, bot.application; print([name for name in {unwanted} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_file_holds_both_texts_and_the_way_to_the_service():
    """The client's methods are called in one module, and nothing is said there."""
    importing = {
        str(file.relative_to(ROOT)): text
        for file in (ROOT / "bot").rglob("*.py")
        if "import httpx" in (text := file.read_text()) or "service.client import Client\n" in text
    }
    assert {name for name, text in importing.items() if "Client(" in text} == {"bot/service.py"}
    assert not [name for name, text in importing.items() if "<b>" in text or "messages.writing" in text]
