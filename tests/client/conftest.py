"""A client of the real application, without a server."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from flask import Flask

from service.api.application import create_app
from service.client import Client
from service.store.database import Database
from tests.api.web import Web


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
