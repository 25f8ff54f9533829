"""The gateway to the service: codes of people, the cache of public documents, and the use of the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from bot.service import SECRET_FILE, Service
from bot.settings import BotSettings

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Recorded:
    """A transport that answers with empty documents and records the requests."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.document: dict[str, str] = {}
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json=self.document)

    def headers(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.requests]


class Clock:
    """A clock that a test sets."""

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
def settings(tmp_path: Path) -> BotSettings:
    return BotSettings("123:token", "key", bot_data=tmp_path)


@pytest.fixture
def make(settings: BotSettings, recorded: Recorded, clock: Clock) -> Callable[[], Service]:
    return lambda: Service(settings, transport=recorded.transport, now=clock)


def test_a_person_has_one_opaque_code(make, recorded):
    for service in (make(), make()):
        asyncio.run(service.for_user(4711).usage())
    asyncio.run(make().for_user(4712).usage())
    mine, same_code, other_code = recorded.headers("X-End-User")
    assert mine == same_code != other_code
    assert "4711" not in mine
    assert len(mine) == 64
    assert set(recorded.headers("X-API-Key")) == {"key"}


def test_the_secret_is_created_once_and_private(make, settings):
    make()
    file = settings.bot_data / SECRET_FILE
    before = file.read_bytes()
    make()
    assert file.read_bytes() == before
    assert len(before) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_public_documents_are_read_without_the_key(make, recorded):
    service = make()
    for call in (service.battle, service.hospital, service.news, service.widget, service.challenges):
        asyncio.run(call())
    assert recorded.headers("X-API-Key") == [None] * 5
    assert recorded.headers("X-End-User") == [None] * 5


def test_public_documents_are_read_once_in_ten_seconds(make, recorded, clock):
    async def look() -> None:
        service = make()
        await asyncio.gather(*(service.battle() for _ in range(20)))
        clock.time += timedelta(seconds=9)
        await service.battle()
        assert len(recorded.requests) == 1
        clock.time += timedelta(seconds=1)
        await service.battle()
        assert len(recorded.requests) == 2

    asyncio.run(look())


@pytest.mark.parametrize(
    ("world", "stale_after", "seconds"),
    [
        ("live", "2026-11-21T12:00:40Z", 40),
        ("live", "2026-11-21T12:15:00Z", 60),
        ("live", "2026-11-21T11:00:00Z", 10),
        ("replay", "2026-11-21T12:00:40Z", 10),
    ],
)
def test_a_public_document_is_cached_until_it_is_stale(make, recorded, clock, world, stale_after, seconds):
    """Ten seconds at least and sixty at most; the clock of a replay is not ours."""
    recorded.document = {"world": world, "stale_after": stale_after}

    async def look() -> None:
        service = make()
        for after in (0, seconds - 1, seconds):
            clock.time = NOON + timedelta(seconds=after)
            await service.prices()
            assert len(recorded.requests) == 1 + (after == seconds)

    asyncio.run(look())


def test_metered_calls_cost_at_most_four_an_hour(make, recorded, clock):
    async def look() -> None:
        service = make()
        for _ in range(24 * 60):
            await service.leaderboard("btc")
            clock.time += timedelta(minutes=1)

    asyncio.run(look())
    names = recorded.headers("X-End-User")
    assert len(names) == 96
    assert max(names.count(name) for name in names) <= 4


def test_a_challenge_is_never_cached(make, recorded):
    service = make()
    for _ in range(2):
        asyncio.run(service.market("challenge-7"))
    assert len(recorded.requests) == 2


def test_only_one_module_uses_the_client():
    """Only bot/service.py calls the client, and it contains no text of a message."""
    modules = {
        str(file.relative_to(ROOT)): text
        for file in (ROOT / "bot").rglob("*.py")
        if "import httpx" in (text := file.read_text()) or "service.client import AsyncClient\n" in text
    }
    assert {name for name, text in modules.items() if "Client(" in text} == {"bot/service.py"}
    assert not [name for name, text in modules.items() if "<b>" in text or "messages.markup" in text]
