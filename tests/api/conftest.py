"""The real application over a real database, at an hour that the tests set."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator, FormatChecker
from werkzeug.test import TestResponse

from service.api.application import create_app
from service.config import Settings
from service.forecasting.voters.panel import Panel
from service.market.bars import Bars
from service.market.instants import WorldClock
from service.store import snapshots
from service.store.database import Database
from service.trading.arena import Arena, run
from tests.api.served import Server, started
from tests.api.web import Web, sent, services
from tests.trading import markets

NOON = 1_800_000_000 - 1_800_000_000 % 86400 + 43200


@dataclass
class Wall:
    """The wall clock of the service; a test turns it."""

    time: float = NOON

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def sqlite(sqlite_database: Database) -> Database:
    return sqlite_database


@pytest.fixture
def web(sqlite: Database) -> Web:
    """The web over SQLite."""
    return Web(sqlite)


@pytest.fixture
def key(web: Web) -> str:
    """A key of the free plan at `web`."""
    return web.register().json["api_key"]


@pytest.fixture
def make_app(wall: Wall, tmp_path: Path) -> Callable[..., Flask]:
    """Makes the application over a database, by default with a panel of nobody; options are those of Settings."""

    def make(database: Database, panel: Panel | None = None, clock: WorldClock | None = None, **options) -> Flask:
        settings = Settings(world="simulated", data_dir=tmp_path, **options)
        return create_app(services(database, settings, now=wall, clock=clock, panel=panel))

    return make


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory, migrated_sqlite: Path) -> Callable[[], Path]:
    """Makes the data folder of a server, with a migrated database and two pipes through which a view is talked to."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("served")
        shutil.copy(migrated_sqlite, folder / "simulated.sqlite")
        for name in ("begun", "go-on"):
            os.mkfifo(folder / name)
        return folder

    return make


@pytest.fixture(params=["waitress", "granian"], scope="module")
def server(request, make_folder: Callable[[], Path]) -> Iterator[Server]:
    """Each kind of server in turn, the same one for all tests of a file that leave it running."""
    with started(request.param, make_folder()) as server:
        yield server


@pytest.fixture
def app(make_app: Callable[..., Flask], sqlite: Database) -> Flask:
    return make_app(sqlite)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def call(app: Flask) -> Callable[..., TestResponse]:
    """Sends one request to the application."""
    return partial(sent, app)


@pytest.fixture
def api_key(client: FlaskClient) -> str:
    """A key of the free plan."""
    return client.post("/api/v1/register", json={"email": "someone@example.com"}).json["api_key"]


@pytest.fixture
def other_key(call) -> str:
    """A key of somebody else."""
    return call("POST", "/api/v1/register", json={"email": "other@example.com"}).json["api_key"]


@pytest.fixture
def headers(api_key: str) -> dict[str, str]:
    return {"X-API-Key": api_key}


@pytest.fixture
def usage(client: FlaskClient, headers: dict[str, str]) -> Callable[[], int]:
    """How many calls of today's quota are used."""
    return lambda: client.get("/api/v1/me", headers=headers).json["used"]


@pytest.fixture
def publish(sqlite: Database) -> Callable[..., None]:
    """Stores a dataclass as the jobs do: as the bytes that are served."""

    def publish(name: str, as_of: int, document: object) -> None:
        with sqlite.writing() as db:
            snapshots.publish(db, as_of, {name: document})

    return publish


@pytest.fixture(scope="session")
def kept_openapi() -> dict[str, Any]:
    """The OpenAPI document once it has been read; every application has the same, and describing it takes long."""
    return {}


@pytest.fixture
def openapi_document(client: FlaskClient, kept_openapi: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document, not to be changed by a test."""
    if not kept_openapi:
        kept_openapi.update(client.get("/api/openapi.json").json)
    return kept_openapi


@pytest.fixture
def check_schema(openapi_document: dict[str, Any]) -> Callable[[str, object], None]:
    """Holds the body of an answer against what the OpenAPI document says of that address."""

    def check(path: str, body: object, method: str = "get", media: str = "application/json") -> None:
        content = openapi_document["paths"][path][method]["responses"]["200"]["content"]
        schema = content[media]["schema"] | {"components": openapi_document["components"]}
        Draft202012Validator(schema, format_checker=FormatChecker()).validate(body)

    return check


@pytest.fixture(scope="session")
def hours() -> dict[str, Bars]:
    """The hourly bars of January and February 2025, simulated."""
    return markets.by_the_hour(markets.simulated_bars(59))


@pytest.fixture(scope="session")
def arena(hours: dict[str, Bars]) -> Arena:
    """All accounts after those two months."""
    return run(hours, {}, markets.NEW_YEAR)
