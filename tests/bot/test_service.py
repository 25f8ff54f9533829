"""What handlers are given: the gateway to the service, the parts of an update, the job of the watcher."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from telegram import Update

from bot import updates
from bot.service import SECRET_FILE, Service
from bot.settings import BotSettings
from tests.bot.store.conftest import Clock

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HELP = {"update_id": 8, "message": {"message_id": 1, "date": 1, "chat": {"id": 7, "type": "private"}, "text": "/help"}}


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


@pytest.fixture
def noon() -> Clock:
    return Clock(NOON)


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def make(settings: BotSettings, recorded: Recorded, noon: Clock) -> Callable[[], Service]:
    return lambda: Service(settings, transport=recorded.transport, now=noon)


def test_a_person_has_one_opaque_code(make, recorded, oracle_key):
    for service in (make(), make()):
        asyncio.run(service.for_user(4711).usage())
    asyncio.run(make().for_user(4712).usage())
    mine, same_code, other_code = recorded.headers("X-End-User")
    assert mine == same_code != other_code
    assert "4711" not in mine
    assert len(mine) == 64
    assert set(recorded.headers("X-API-Key")) == {oracle_key}


def test_the_secret_is_created_once_and_private(make, settings):
    make()
    file = settings.bot_data / SECRET_FILE
    before = file.read_bytes()
    make()
    assert file.read_bytes() == before
    assert len(before) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_public_documents_are_read_without_the_key(make, recorded):
    """A challenge is never kept."""
    service = make()
    calls = (service.battle, service.hospital, service.news, service.widget, service.challenges)
    for call in (*calls, *[lambda: service.market("challenge-7")] * 2):
        asyncio.run(call())
    assert recorded.headers("X-API-Key") == [None] * 7
    assert recorded.headers("X-End-User") == [None] * 7


def test_a_document_that_many_want_at_once_is_read_once(make, recorded):
    async def look() -> None:
        service = make()
        await asyncio.gather(*(service.battle() for _ in range(20)))

    asyncio.run(look())
    assert len(recorded.requests) == 1


@pytest.mark.parametrize(
    ("world", "stale_after", "seconds"),
    [
        ("live", "2026-11-21T12:00:40Z", 40),
        ("live", "2026-11-21T12:15:00Z", 60),
        ("live", "2026-11-21T11:00:00Z", 10),
        ("replay", "2026-11-21T12:00:40Z", 10),
    ],
)
def test_a_public_document_is_cached_until_it_is_stale(make, recorded, noon, world, stale_after, seconds):
    """Ten seconds at least and sixty at most; the clock of a replay is not ours."""
    recorded.document = {"world": world, "stale_after": stale_after}

    async def look() -> None:
        service = make()
        for after in (0, seconds - 1, seconds):
            noon.now = NOON + timedelta(seconds=after)
            await service.prices()
            assert len(recorded.requests) == 1 + (after == seconds)

    asyncio.run(look())


def test_metered_calls_cost_at_most_four_an_hour(make, recorded, noon):
    async def look() -> None:
        service = make()
        for _ in range(24 * 60):
            await service.leaderboard("btc")
            noon.move(minutes=1)

    asyncio.run(look())
    names = recorded.headers("X-End-User")
    assert len(names) == 96
    assert max(names.count(name) for name in names) <= 4


def test_the_watcher_runs_every_minute(stage):
    for job in stage.application.job_queue.jobs():
        assert job.trigger.interval.total_seconds() == 60
        assert job.next_t <= datetime.now(UTC)  # the first pass is at the start, however long after the building it is


def test_a_due_digest_is_sent_over_the_real_service(ann, store, clock, caplog):
    """Two passes send it once."""
    store.set_digest_hour(ann.id, ann.chat, "8")
    clock.wall += 86400
    for _ in range(2):
        ann.stage.work()
    assert len(ann.messages) == 1
    assert "Digest" in ann.newest.plain
    assert "ERROR" not in caplog.text


def test_nobody_can_stop_the_bot_for_others(ann, ben, clock):
    """After thirty updates in a minute a person is told once, then ignored until the minute is over."""
    for _ in range(40):
        ann.says("/help", settle=False)
    ann.stage.settle()
    assert len(ann.messages) == 31
    assert "Wait a minute" in ann.newest.plain
    ann.presses("Reload", on=ben.says("/quota"))
    assert "Wait a minute" in ann.stage.telegram.popups[-1]
    assert "10 of 10" in ben.newest.plain
    clock.wall += 61
    assert "/quota" in ann.says("/help").plain


@pytest.mark.parametrize("part", [updates.user_id, updates.chat, updates.message, updates.text, updates.press])
def test_a_missing_part_is_a_lookup_error(part):
    with pytest.raises(LookupError):
        part(Update(1))


@pytest.mark.parametrize("message", [{"message_id": 1}, {"chat": 7}, [1]])
def test_an_undecodable_update_is_skipped_and_logged(stage, monkeypatch, caplog, message):
    poison = {"update_id": 7, "message": message}
    answer = lambda _self, _values, _files: [poison, HELP]  # noqa: E731
    monkeypatch.setattr(type(stage.telegram), "_getUpdates", answer, raising=False)
    first, second = stage.runner.run(stage.application.bot.get_updates())
    assert (first.update_id, first.message) == (7, None)
    assert (second.update_id, second.message.text) == (8, "/help")
    assert caplog.text.count("cannot be decoded and is skipped") == 1
