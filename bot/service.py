"""The bot's gateway to the service, the only module that uses the client; results are the API's documents.

The service cannot compute a Telegram id from the person's code, which is derived with the secret in BOT_DATA.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from datetime import UTC, datetime, timedelta
from functools import partialmethod
from pathlib import Path
from typing import Any

import httpx

from bot.settings import BotSettings
from service.client import AsyncClient, BadRequest

Document = dict[str, Any]

MAX_QUESTION = 500  # characters; the service refuses a longer question
CALL_S = 10.0
ASK_S = 330.0  # the service ends a question after at most 300 s; the client detects a lost connection much earlier
MAX_CALLS = 64  # calls; each question being answered is one
# All users share the bot's address, which may call 120 times a minute: public documents are cached.
CACHE_TTL, MAX_CACHE_TTL = timedelta(seconds=10), timedelta(seconds=60)
# These calls count against a daily quota. They run under a name of their own, so that no person's quota pays for them.
METERED_METHODS = ("leaderboard", "predictions")
METERED_CACHE_TTL = timedelta(minutes=15)
MOST_BARS = 10_000
MOST_MARKETS = 200
SECRET_FILE = "bot-secret"  # noqa: S105
DAILY_LIMIT, DAILY_REMAINING = re.compile(r'"daily";q=(\d+)'), re.compile(r'"daily";r=(\d+)')


class Service:
    """Public documents, and the service on behalf of a person; every method may raise ClientError."""

    def __init__(
        self,
        settings: BotSettings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._now = settings, now
        self.home = settings.home
        self.transport = transport or httpx.AsyncHTTPTransport(retries=1)
        self._secret = _secret(settings.bot_data / SECRET_FILE)
        self.places = asyncio.Semaphore(MAX_CALLS)
        self._cache: dict[tuple, tuple[datetime, Document]] = {}  # until when it is fresh
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def close(self) -> None:
        """Close the connections; calls in progress fail."""
        await self.transport.aclose()

    def for_user(self, user_id: int) -> Person:
        """The service on behalf of a Telegram user."""
        return Person(self, f"telegram {user_id}")

    async def candles(self, asset: str, interval: str, since: str | None) -> Document:
        """The bars of an asset from `since` on, at most 10,000; hours where the source has no five minutes."""
        try:
            return await self._shared("candles", asset, interval, since=since, limit=MOST_BARS)
        except BadRequest:
            return await self._shared("candles", asset, "1h", since=since, limit=MOST_BARS)

    async def resolved_markets(self) -> Document:
        """The markets that were resolved last, without the votes of the voters."""
        return await self._shared("markets", "resolved", limit=MOST_MARKETS)

    async def market(self, market_id: str) -> Document:
        """A market, or a challenge as `challenge-17`."""
        return await self.call(None, "prediction", market_id)

    def drop(self, method: str) -> None:
        """Read these documents anew at the next call."""
        self._cache = {key: copy for key, copy in self._cache.items() if key[0] != method}

    def note_votes(self, receipt: Document) -> None:
        """Show the votes of a receipt in the cached list of markets too, which is read anew only after minutes."""
        lists = [document["markets"] for key, (_, document) in self._cache.items() if key[0] == "predictions"]
        for market in [market for markets in lists for market in markets if market["id"] == receipt["market_id"]]:
            market["user_votes"] = receipt["user_votes"]

    async def _shared(self, method: str, *values: str | None, **options: str | int | None) -> Document:
        """A public document, from the cache while its copy is fresh."""
        key = (method, *values, *options.values())
        # A metered call is made under a name of its own, new every hour.
        reader = f"everybody {key} {self._now():%Y-%m-%dT%H}" if method in METERED_METHODS else None
        async with self._locks[method]:
            now = self._now()
            self._cache = {other: copy for other, copy in self._cache.items() if now < copy[0]}
            if key not in self._cache:
                document = await self.call(reader, method, *values, **options)
                self._cache[key] = (_fresh_until(method, document, self._now()), document)
            return self._cache[key][1]

    ai_vs_market = partialmethod(_shared, "ai_vs_market")
    apex = partialmethod(_shared, "apex")
    battle = partialmethod(_shared, "battle")
    challenges = partialmethod(_shared, "challenges")
    forecast = partialmethod(_shared, "forecast")
    forecaster = partialmethod(_shared, "forecaster")
    forecasters = partialmethod(_shared, "forecasters")
    fund = partialmethod(_shared, "fund")
    hospital = partialmethod(_shared, "hospital")
    leaderboard = partialmethod(_shared, "leaderboard")
    news = partialmethod(_shared, "news")
    predictions = partialmethod(_shared, "predictions")
    prices = partialmethod(_shared, "prices")
    streaks = partialmethod(_shared, "streaks")
    widget = partialmethod(_shared, "widget")

    async def call(self, name: str | None, method: str, *values: Any, **options: Any) -> Document:
        """The result of a client method, called on behalf of `name`; without a name, without the API key."""
        async with self.places:
            return await getattr(self.client(name, CALL_S), method)(*values, **options)

    def client(self, name: str | None, timeout_s: float, quota: QuotaReader | None = None) -> AsyncClient:
        """A client that calls on behalf of `name`; all clients share the connections."""
        code = name and hmac.new(self._secret, name.encode(), hashlib.sha256).hexdigest()
        key = self._settings.oracle_key if name else None
        transport = quota or self.transport
        return AsyncClient(self._settings.oracle_url, key, timeout_s=timeout_s, end_user=code, transport=transport)


class QuotaReader(httpx.AsyncBaseTransport):
    """A connection that keeps the daily `limit` and `remaining` stated by the headers of the last response."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport
        self.quota: Document | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._transport.handle_async_request(request)
        limit = DAILY_LIMIT.search(response.headers.get("RateLimit-Policy", ""))
        remaining = DAILY_REMAINING.search(response.headers.get("RateLimit", ""))
        self.quota = {"limit": int(limit[1]), "remaining": int(remaining[1])} if limit and remaining else None
        return response


class Person:
    """The service on behalf of one person, whose quota its calls count against.

    `quota` is the daily quota after the last question, with `limit` and `remaining`; None before and if unknown.
    """

    def __init__(self, service: Service, name: str) -> None:
        self._service, self._name = service, name
        self.quota: Document | None = None

    async def ask_stream(self, question: str, key: str | None = None) -> AsyncIterator[Document]:
        """The events of an answer as they arrive; see AsyncClient.ask_stream. `key` is the idempotency key.

        A text that leaves a choice is refused, with its readings as suggestions.
        """
        reader = QuotaReader(self._service.transport)
        client = self._service.client(self._name, ASK_S, reader)
        async with (
            self._service.places,
            aclosing(client.ask_stream(question, strict=True, idempotency_key=key)) as events,
        ):
            async for event in events:
                self.quota = reader.quota
                yield event

    async def _call(self, method: str, *values: Any, **options: Any) -> Document:
        return await self._service.call(self._name, method, *values, **options)

    async def create_challenge(self, question: str, deadline: str, *, idempotency_key: str) -> Document:
        challenge = await self._call("create_challenge", question, deadline, idempotency_key=idempotency_key)
        self._service.drop("challenges")
        return challenge

    async def vote(self, market_id: str, vote: str) -> Document:
        receipt = await self._call("vote", market_id, vote)
        self._service.drop("challenges")
        return receipt

    async def name_forecaster(self, name: str | None) -> Document:
        """List the person's forecasts under a public name; None: no longer."""
        self._service.drop("forecaster")
        return await self._call("name_forecaster", name)

    answers = partialmethod(_call, "answers")
    answer = partialmethod(_call, "answer")
    forecast_market = partialmethod(_call, "forecast_market")
    market = partialmethod(_call, "prediction")  # with the person's own vote and forecast
    understand = partialmethod(_call, "understand")  # what a text wants; free of charge
    usage = partialmethod(_call, "usage")


def _fresh_until(method: str, document: Document, now: datetime) -> datetime:
    """Until when a document is cached: its `stale_after`, but within limits.

    A next document may be made long before `stale_after`, and in a replay the service's clock is not ours.
    """
    if method in METERED_METHODS:
        return now + METERED_CACHE_TTL
    stale_after = document.get("stale_after")
    if stale_after is None or document.get("world") == "replay":
        return now + CACHE_TTL
    return min(max(datetime.fromisoformat(stale_after), now + CACHE_TTL), now + MAX_CACHE_TTL)


def _secret(file: Path) -> bytes:
    """The secret in `file`, created at the first start. A new secret would give every person a new quota."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as secret:
            secret.write(secrets.token_bytes(32))
    return file.read_bytes()
