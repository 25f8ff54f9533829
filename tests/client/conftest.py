"""Clients of the real application, and of answers that a test makes, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from inspect import isawaitable, isgenerator
from typing import Any

import httpx
import pytest
from flask import Flask

from service.api.application import create_app
from service.client import AsyncClient, Client
from service.store.database import Database
from tests.api.web import Web

Call, Answer = Callable[[Any], Any], Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def app(sqlite_database: Database) -> Flask:
    return create_app(Web(sqlite_database).services)


@pytest.fixture
def client(app: Flask) -> Iterator[Client]:
    """A client of the real application, without a key."""
    with Client("http://ninefold", transport=httpx.WSGITransport(app)) as client:
        yield client


def recorded(answer: httpx.Response, *arguments: str, **options: str) -> tuple[Client, list[httpx.Request]]:
    """A client whose requests are all answered so, and the requests."""
    requests: list[httpx.Request] = []
    transport = httpx.MockTransport(lambda request: requests.append(request) or answer)
    return Client("http://ninefold", *arguments, transport=transport, **options), requests


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of an answer, which comes in pieces to either client."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.pieces)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


@pytest.fixture(params=["waiting", "asynchronous"])
def result_of(request) -> Callable[[Call, Answer], Any]:
    """What a call gives whose requests are answered so, by each client in turn: its result, or a list of its items."""

    def waiting(call: Call, answer: Answer) -> Any:
        with Client("http://ninefold", transport=httpx.MockTransport(answer), timeout_s=0.5) as client:
            result = call(client)
            return list(result) if isgenerator(result) else result

    async def asynchronous(call: Call, answer: Answer) -> Any:
        async with AsyncClient("http://ninefold", transport=httpx.MockTransport(answer), timeout_s=0.5) as client:
            result = call(client)
            return await result if isawaitable(result) else [item async for item in result]

    return waiting if request.param == "waiting" else lambda *arguments: asyncio.run(asynchronous(*arguments))
