"""The service as the bot sees it: the one module that uses the client, in threads of its own.

What it answers are the documents of the API. A person is told to the service by a code that nobody can turn back into
a Telegram id without the secret that lies in BOT_DATA.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from bot.settings import Settings
from service.client import Client

Document = dict[str, Any]

CALL_S = 10.0
ASK_S = 330.0  # the service bounds a question itself, at 300 s at most; its silence is noticed much earlier
THREADS = 64  # each open question holds one
# The bot has one address, and that may look 120 times a minute: what many look at is asked for once.
KEPT = timedelta(seconds=10)
# These cost a call of somebody's day. Everybody sees one copy, so that nobody's questions pay for it.
COSTLY = ("leaderboard", "predictions")
COSTLY_KEPT = timedelta(minutes=15)
SECRET_FILE = "bot-secret"  # noqa: S105


class Service:
    """What everybody may see, and each person's own; every method raises ClientError."""

    def __init__(
        self,
        settings: Settings,
        *,
        transport: httpx.BaseTransport | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._now = settings, now
        self._transport = transport or httpx.HTTPTransport(retries=1)
        self._secret = _secret(settings.bot_data / SECRET_FILE)
        self._threads = ThreadPoolExecutor(THREADS, "service")
        self._kept: dict[tuple, tuple[datetime, Document]] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def close(self) -> None:
        """End the connections; a call that still waits fails."""
        self._transport.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def for_user(self, user_id: int) -> Person:
        """The service on behalf of a person of Telegram."""
        return Person(self, f"telegram {user_id}")

    async def battle(self) -> Document:
        return await self._shared("battle")

    async def battle_history(
        self, lane: str | None = None, since: str | None = None, until: str | None = None
    ) -> Document:
        return await self._shared("battle_history", lane, since, until)

    async def leaderboard(self, asset: str | None = None) -> Document:
        return await self._shared("leaderboard", asset)

    async def strategy(self, key: str) -> Document:
        return await self._shared("strategy", key)

    async def hospital(self) -> Document:
        return await self._shared("hospital")

    async def predictions(self) -> Document:
        return await self._shared("predictions")

    async def challenges(self) -> Document:
        return await self.call(None, "challenges")

    async def challenge(self, number: int) -> Document:
        return await self.call(None, "challenge", number)

    async def streaks(self) -> Document:
        return await self._shared("streaks")

    async def ai_vs_market(self) -> Document:
        return await self._shared("ai_vs_market")

    async def news(self) -> Document:
        return await self._shared("news")

    async def apex(self) -> Document:
        return await self._shared("apex")

    async def fund(self) -> Document:
        return await self._shared("fund")

    async def widget(self) -> Document:
        return await self._shared("widget")

    async def _shared(self, method: str, *values: str | None) -> Document:
        """A document that is the same for everybody, of a short while ago where somebody asked for it then."""
        asked = (method, *values)
        async with self._locks[method]:
            self._forget_old()
            if asked not in self._kept:
                document = await self.call(self._reader(asked), method, *values)
                self._kept[asked] = (self._now(), document)
            return self._kept[asked][1]

    def _forget_old(self) -> None:
        now = self._now()
        self._kept = {
            asked: (at, document) for asked, (at, document) in self._kept.items() if now < at + _keeping(asked[0])
        }

    def _reader(self, asked: tuple) -> str | None:
        """On whose behalf a shared document is read: nobody's; a costly one in a name of its own, another each hour."""
        if asked[0] not in COSTLY:
            return None
        return f"everybody {asked} {self._now():%Y-%m-%dT%H}"

    async def call(self, name: str | None, method: str, *values: Any, **named: Any) -> Document:
        """What a method of the client answers; without a name without the key."""
        client = self.client(name, CALL_S)
        return await self.run(lambda: getattr(client, method)(*values, **named))

    async def run(self, call: Callable, *values: Any) -> Any:
        """What `call` gives, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *values)

    def client(self, name: str | None, timeout_s: float) -> Client:
        """A client for whoever that name stands for; all share the connections."""
        key, code = (self._settings.oracle_key, self._code(name)) if name else (None, None)
        return Client(self._settings.oracle_url, key, timeout_s=timeout_s, end_user=code, transport=self._transport)

    def _code(self, name: str) -> str:
        return hmac.new(self._secret, name.encode(), hashlib.sha256).hexdigest()


class Person:
    """What a person does, counted as theirs."""

    def __init__(self, service: Service, name: str) -> None:
        self._service, self._name = service, name

    async def ask_stream(self, question: str) -> AsyncIterator[Document]:
        """The events of an answer as they come, as Client.ask_stream gives them."""
        run, events = self._service.run, self._service.client(self._name, ASK_S).ask_stream(question)
        try:
            while (event := await run(next, events, None)) is not None:
                yield event
        finally:
            with suppress(ValueError):  # a thread still waits in it: it ends with the connections
                events.close()

    async def create_challenge(self, question: str, deadline: str, *, idempotency_key: str) -> Document:
        return await self._call("create_challenge", question, deadline, idempotency_key=idempotency_key)

    async def vote_challenge(self, number: int, vote: str) -> Document:
        return await self._call("vote_challenge", number, vote)

    async def vote(self, market_id: str, vote: str) -> Document:
        return await self._call("vote", market_id, vote)

    async def usage(self) -> Document:
        return await self._call("usage")

    async def _call(self, method: str, *values: Any, **named: Any) -> Document:
        return await self._service.call(self._name, method, *values, **named)


def _keeping(method: str) -> timedelta:
    return COSTLY_KEPT if method in COSTLY else KEPT


def _secret(file: Path) -> bytes:
    """The secret in `file`, made at the first start. Another one would give everybody a new quota."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(secrets.token_bytes(32))
    return file.read_bytes()
