"""Thousands of alerts keep to Telegram's limits, in order, each once, in a memory that does not grow."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from telegram.ext import Application
from telegram.request import RequestData

from bot.alerts.delivery import send_queue
from bot.alerts.subscriptions import check_consensus
from bot.application import build
from bot.service import Service
from bot.settings import BotSettings
from bot.store import Store
from tests.bot.alerts.conftest import FakeService
from tests.bot.fake_telegram import BLOCK, ME, FakeTelegram, Refusal
from tests.bot.simulated_time import SimulatedLoop
from tests.conftest import IN_SOAK

pytestmark = pytest.mark.slow
COUNT = 10_000 if IN_SOAK else 3_000
SUBSCRIBERS = range(1, COUNT + 1)
PIONEERS = range(1, COUNT // 4 + 1)  # these see two changes of the consensus, the others one
PER_SECOND = 30  # Telegram's limit
PASS_S = 60
SLOWER = 1.5  # the queue takes at most this many times as long as at Telegram's limit
GROWTH_MB = 10
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
DELAYS, BLOCKS = range(100, 200), range(200, 300)  # persons: once with 429, for ever with 403


class CountingTelegram(FakeTelegram):
    """Keeps the time and the first line of each message by chat, and the memory after each 1,000 messages."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: defaultdict[int, list[str]] = defaultdict(list)
        self.times: list[float] = []
        self.memory_mb: list[float] = []
        self.delays = set(DELAYS)

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_timeouts: Any, **_options: Any
    ) -> tuple[int, bytes]:
        name, values = url.rpartition("/")[2], dict(request_data.parameters) if request_data else {}
        return self._send(values) if name == "sendMessage" else _answer(ME if name == "getMe" else True)

    def _send(self, values: dict[str, Any]) -> tuple[int, bytes]:
        chat = values["chat_id"]
        self.times.append(asyncio.get_running_loop().time())
        if len(self.times) % 1000 == 0:
            self.memory_mb.append(resident_mb())
        if chat in BLOCKS:
            return 403, json.dumps(Refusal(BLOCK, 403).answer).encode()
        if chat in self.delays:
            self.delays.remove(chat)
            return 429, json.dumps(Refusal("Too Many Requests", 429, retry_after=3).answer).encode()
        self.messages[chat].append(values["text"].split("\n")[0])
        return _answer({"message_id": len(self.times), "date": 1, "chat": {"id": chat, "type": "private"}})


def test_thousands_of_alerts_keep_to_the_limits(tmp_path: Path):
    """Also where the bot stops in the middle; a person's second alert follows the first, blocked people get none."""
    telegram, settings = CountingTelegram(), BotSettings("123:token", "nf_live_key", bot_data=tmp_path)
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        clock = runner.get_loop().time
        application = build(settings, request=telegram, now=lambda: START + timedelta(seconds=clock()))
        store: Store = application.bot_data["state"].store
        runner.run(application.initialize())
        runner.run(two_flips(store))
        for limit in (COUNT // 3, 3 * COUNT):
            runner.run(send_all(application, store, telegram, limit))
        runner.run(application.shutdown())
    peak = max(Counter(int(time) for time in telegram.times).values())
    took, growth = telegram.times[-1], telegram.memory_mb[-1] - telegram.memory_mb[1]
    figures = f"{len(telegram.times)} calls in {took:.0f} s, at most {peak} a second, memory +{growth:.1f} MB"
    print(f"\n{figures}")
    readers = set(SUBSCRIBERS) - set(BLOCKS)
    assert set(telegram.messages) == readers
    sides = {person: [side(line) for line in lines] for person, lines in telegram.messages.items()}
    assert all(sides[person] == (["BEARISH", "BULLISH"] if person in PIONEERS else ["BULLISH"]) for person in readers)
    assert peak <= PER_SECOND, figures
    assert took < PASS_S + SLOWER * len(telegram.times) / PER_SECOND, figures
    assert growth < GROWTH_MB, figures


async def two_flips(store: Store) -> None:
    service, others = FakeService(), [person for person in SUBSCRIBERS if person not in PIONEERS]
    changes: list[tuple[str, Sequence[int]]] = [("BULLISH", PIONEERS), ("BEARISH", others), ("BULLISH", ())]
    for minute, (direction, subscribers) in enumerate(changes):
        now = START + timedelta(minutes=minute)
        service.consensus(direction, now)
        await check_consensus(cast("Service", service), store, now)
        for person in subscribers:
            store.set_switch(person, person, "flip", "on")


async def send_all(application: Application, store: Store, telegram: CountingTelegram, limit: int) -> None:
    """A pass over the queue every minute until it is empty, or the bot stops because Telegram got so many messages."""
    while store.waiting() and len(telegram.times) < limit:
        await send_queue(application.bot, store, lambda: len(telegram.times) < limit)
        await asyncio.sleep(PASS_S)


def side(line: str) -> str:
    return next(side for side in ("BULLISH", "BEARISH") if side in line.upper())


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _answer(result: Any) -> tuple[int, bytes]:
    return 200, json.dumps({"ok": True, "result": result}).encode()
